"""The report's own words in English and Chinese; numbers and dates follow any locale."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from atomic_tools._report_numbers import money
from atomic_tools._sales import Comparison, CurrencyKpis

_ENGLISH = {
    "title": "Daily sales",
    "heading": "{title}, {date}",
    "net_line": "{money} net sales, {comparison}",
    "headline": "{money} net sales on {date}, {comparison}",
    "no_orders_on": "No orders on {date}",
    "no_orders_text": "There were no orders on this day. The source was read and is empty for it.",
    "up": "up {percent} on {base_name}",
    "down": "down {percent} on {base_name}",
    "level": "level with {base_name}",
    "changed": "{difference} against {base_name}",
    "no_base": "no comparison: {reason}",
    "unknown_reason": "no earlier figures",
    "same_weekday_last_week": "the same weekday last week",
    "trailing_four_same_weekdays": "the average of the last four same weekdays",
    "previous_day": "the day before",
    "with_base": "{movement} ({base})",
    "base_name_date": "{base_name} ({date})",
    "also_headline": "{sentence}; also {amounts}",
    "incomplete": "Incomplete",
    "correction": "Correction",
    "correction_text": "This replaces an earlier report for the same day.",
    "correction_line": "{currency}: net was {before}, is now {after} ({difference});"
    " orders were {orders_before}, are now {orders_after}.",
    "previous_unreadable": "An earlier report for this day exists but its figures cannot be read, so it"
    " is not known whether they changed.",
    "measure": "Measure",
    "value": "Value",
    "orders": "Orders",
    "gross": "Gross sales",
    "refunds": "Refunds",
    "adjustments": "Adjustments",
    "net": "Net sales",
    "average": "Average order value",
    "against": "Compared with",
    "base": "Then",
    "difference": "Difference",
    "change": "Change",
    "top_products": "Top products",
    "top_products_in": "Top products, {currency}",
    "product": "Product",
    "quantity": "Quantity",
    "amount": "Amount",
    "no_name": "(no name)",
    "missing": "What is missing",
    "missing_chart": "The chart could not be made for this report.",
    "findings": "About the data",
    "finding": "{what}: {count}",
    "examples": "{text} (for example {examples})",
    "more": "and {count} more",
    "covers": "What this covers",
    "covers_line": "{start} to {end} (end not included), {zone}, {hours} hours.",
    "as_of": "{covers} Figures as of {stamp}.",
    "definitions": "Net sales are gross sales plus refunds and adjustments (both negative when they reduce"
    " sales). The average order value is gross sales divided by the number of orders. Currencies are never"
    " added together.",
    "per_hour": "Net sales per hour",
    "local_time": "local time, {zone}",
    "clock_change": "{hours}-hour day (clock change)",
    "also": "Not in this chart: {amounts}",
    "no_hours": "No figures by hour",
    "peak": "Highest hour {label} with {amount}.",
    "line_is": "The line is {base_name}.",
    "alt_products": "Top products: {products}.",
    "alt_empty": "No chart: {text}.",
    "alt": "Bar chart of net sales per hour, {date}, {currency}, {zone}.",
}

_CHINESE = {
    "title": "每日销售",
    "heading": "{title}，{date}",
    "net_line": "净销售额 {money}，{comparison}",
    "headline": "{date}净销售额 {money}，{comparison}",
    "no_orders_on": "{date} 没有订单",
    "no_orders_text": "当天没有订单。数据源已读取，其中没有任何订单。",
    "up": "较{base_name}上升 {percent}",
    "down": "较{base_name}下降 {percent}",
    "level": "与{base_name}持平",
    "changed": "较{base_name} {difference}",
    "no_base": "无法比较：{reason}",
    "unknown_reason": "没有更早的数据",
    "same_weekday_last_week": "上周同日",
    "trailing_four_same_weekdays": "前四周同日平均",
    "previous_day": "前一天",
    "with_base": "{movement}（{base}）",
    "base_name_date": "{base_name}（{date}）",
    "also_headline": "{sentence}；另有 {amounts}",
    "incomplete": "数据不完整",
    "correction": "更正",
    "correction_text": "本报告取代同一天的较早报告。",
    "correction_line": "{currency}：净销售额原为 {before}，现为 {after}（{difference}）；"
    "订单数原为 {orders_before}，现为 {orders_after}。",
    "previous_unreadable": "当天已有较早的报告，但无法读取其数字，因此不知道是否有变化。",
    "measure": "指标",
    "value": "数值",
    "orders": "订单数",
    "gross": "销售总额",
    "refunds": "退款",
    "adjustments": "调整",
    "net": "净销售额",
    "average": "平均订单金额",
    "against": "比较对象",
    "base": "当时",
    "difference": "差额",
    "change": "变化",
    "top_products": "热销商品",
    "top_products_in": "热销商品（{currency}）",
    "product": "商品",
    "quantity": "数量",
    "amount": "金额",
    "no_name": "（无名称）",
    "missing": "缺少的内容",
    "missing_chart": "本报告未能生成图表。",
    "findings": "数据说明",
    "finding": "{what}：{count}",
    "examples": "{text}（例如 {examples}）",
    "more": "另有 {count} 项",
    "covers": "统计范围",
    "covers_line": "{start} 至 {end}（不含结束时刻），{zone}，共 {hours} 小时。",
    "as_of": "{covers}数据截至 {stamp}。",
    "definitions": "净销售额等于销售总额加退款和调整（减少销售额时为负数）。"
    "平均订单金额等于销售总额除以订单数。不同货币从不相加。",
    "per_hour": "每小时净销售额",
    "local_time": "当地时间，{zone}",
    "clock_change": "当天 {hours} 小时（时钟调整）",
    "also": "未包含在图中：{amounts}",
    "no_hours": "没有按小时的数据",
    "peak": "最高的小时为 {label}，{amount}。",
    "line_is": "折线为{base_name}。",
    "alt_products": "热销商品：{products}。",
    "alt_empty": "没有图表：{text}。",
    "alt": "每小时净销售额柱状图，{date}，{currency}，{zone}。",
}

_CHINESE_FINDINGS = {
    "unreadable_timestamp": "时间戳缺失或格式不符、不计入任何一天的行",
    "outside_window": "SELECT 返回的、不在 :start 与 :end 之间而未计入的行",
    "unreadable_amount": "金额缺失或不是数字、未计入合计的行",
    "unreadable_currency": "货币缺失或不是三字母代码、未计入合计的行",
    "unknown_status": "状态未列入映射、未计入合计的行",
    "ignored_status": "按映射未计入的行（例如已取消的订单）",
    "duplicate": "因重复送达或被更新版本取代而未计入的行",
    "missing_order_id": "没有订单号的销售行（金额计入，但不算作订单）",
    "clock_change": "处于时钟调整重复时段、按较早时刻计入的行",
    "comparison_left_out": "比较日期中因相同原因未计入的行",
}
"""English has them from the finding itself."""


@dataclass(frozen=True, slots=True)
class Voice:
    """How one report speaks: words of the locale's language, else English; its numbers and dates."""

    locale: str

    def say(self, key: str, **values: str) -> str:
        """The wording `key` with its gaps filled."""
        return self._table[key].format(**values)

    def finding(self, code: str) -> str:
        """What a finding of that code is called; empty where only its own message says it."""
        return _CHINESE_FINDINGS.get(code, "") if self._table is _CHINESE else ""

    def all_words(self) -> Iterable[str]:
        """Every wording of this language, for the choice of fonts."""
        return self._table.values()

    @property
    def _table(self) -> Mapping[str, str]:
        return _CHINESE if self.locale.split("_")[0] == "zh" else _ENGLISH

    def money(self, amount: Decimal, currency: str) -> str:
        """The amount as this locale writes it, currency included."""
        return money(amount, currency, self.locale)

    def net(self, figures: CurrencyKpis) -> str:
        """The net sales of one currency."""
        return self.money(figures.net, figures.currency)

    def base_name(self, comparison: Comparison) -> str:
        """What a comparison is made against."""
        return self.say(comparison.against)
