"""The registry: what it believes from its cache, what it has described again, and what it refuses."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from daemon.domain.tool import BrokenTool, Effect
from daemon.registry import Registry, discover


class Describer:
    """Stands in for the describing process: every module is a tool, but those whose text says otherwise."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def __call__(self, _: Sequence[Path], modules: Sequence[Path]) -> Iterator[dict[str, Any]]:
        self.asked.append([module.stem for module in modules])
        return map(self._describe, modules)

    def _describe(self, module: Path) -> dict[str, Any]:
        shared = module.with_name("_shared.py")
        inputs = [str(module), *([str(shared)] if shared.exists() else [])]
        if module.read_text() == "broken":
            problem = {"name": module.stem, "path": str(module), "line": 3, "message": "is broken"}
            return {"problem": problem, "inputs": inputs}
        return {"spec": _spec(module), "inputs": inputs}


def _spec(module: Path) -> dict[str, Any]:
    return {
        "name": module.stem,
        "description": module.read_text(),
        "effect": "external",
        "timeout": 2.5,
        "version": "1",
        "secrets": ["TOKEN"],
        "optional_secrets": [],
        "destination": ["channel"],
        "reconcile": True,
        "input_schema": {},
        "output_schema": {},
        "digest": "d",
        "path": str(module),
    }


class Shop:
    """A folder of tools with a cache beside it."""

    def __init__(self, root: Path) -> None:
        self.folder = root / "tools"
        self.folder.mkdir()
        self.cache = root / "state" / "tools.json"
        self.describer = Describer()

    def write(self, name: str, text: str) -> Path:
        path = self.folder / f"{name}.py"
        path.write_text(text)
        os.utime(path, (1_000_000, 1_000_000 + len(self.describer.asked)))
        return path

    def discover(self, **options: Any) -> Registry:
        return discover([self.folder], self.cache, describe=self.describer, **options)

    def own(self, registry: Registry) -> set[str]:
        return {name for name, spec in registry.tools.items() if spec.path.startswith(str(self.folder))}

    @property
    def last_asked(self) -> list[str]:
        return self.describer.asked[-1]


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    made = Shop(tmp_path)
    made.write("count_orders", "one")
    made.discover()
    return made


def test_a_spec_comes_out_typed(shop: Shop) -> None:
    spec = shop.discover().tools["count_orders"]
    assert (spec.effect, spec.timeout) == (Effect.EXTERNAL, timedelta(seconds=2.5))
    assert (spec.secrets, spec.destination) == (("TOKEN",), ("channel",))


def test_an_unchanged_folder_is_not_described_again(shop: Shop) -> None:
    assert shop.own(shop.discover()) == {"count_orders"}
    assert len(shop.describer.asked) == 1


def test_a_dropped_file_is_found_and_only_it_is_described(shop: Shop) -> None:
    shop.write("send_fax", "new")
    assert shop.own(shop.discover()) == {"count_orders", "send_fax"}
    assert shop.last_asked == ["send_fax"]


def test_a_changed_file_is_described_again(shop: Shop) -> None:
    shop.write("count_orders", "two")
    assert shop.discover().tools["count_orders"].description == "two"


def test_a_removed_file_is_forgotten(shop: Shop) -> None:
    shop.write("count_orders", "two").unlink()
    assert shop.own(shop.discover()) == set()


def test_a_change_of_a_shared_module_has_its_tools_described_again(shop: Shop) -> None:
    shop.write("_shared", "a")
    shop.write("count_orders", "uses shared")
    shop.discover()
    shop.write("_shared", "b")
    shop.discover()
    assert shop.last_asked == ["count_orders"]


def test_a_broken_neighbour_is_reported_with_its_line_and_harms_nobody(shop: Shop) -> None:
    path = shop.write("torn", "broken")
    registry = shop.discover()
    assert BrokenTool("torn", str(path), 3, "is broken") in registry.broken
    assert shop.own(registry) == {"count_orders"}


def test_a_broken_module_is_tried_again_only_on_request(shop: Shop) -> None:
    shop.write("torn", "broken")
    assert shop.discover() == shop.discover()
    assert len(shop.describer.asked) == 2
    shop.discover(recheck_broken=True)
    assert shop.last_asked == ["torn"]


def test_a_file_that_changed_while_it_was_described_is_not_believed(shop: Shop) -> None:
    os.utime(shop.write("late", "text"), (4_000_000_000, 4_000_000_000))
    shop.discover()
    shop.discover()
    assert shop.describer.asked[-2:] == [["late"], ["late"]]


def test_a_second_file_of_the_same_name_is_refused_with_both_paths(shop: Shop, tmp_path: Path) -> None:
    other = tmp_path / "more" / "count_orders.py"
    other.parent.mkdir()
    other.write_text("shadow")
    registry = discover([shop.folder, other.parent], describe=shop.describer)
    (refused,) = [broken for broken in registry.broken if broken.name == "count_orders"]
    assert refused.path == str(other)
    assert str(shop.folder / "count_orders.py") in refused.message
    assert registry.tools["count_orders"].description == "one"


def test_a_shared_module_that_would_shadow_a_shipped_one_is_refused(shop: Shop) -> None:
    shop.write("_contract", "shadow")
    assert [broken.name for broken in shop.discover().broken] == ["_contract"]


def test_a_missing_folder_is_reported(tmp_path: Path, shop: Shop) -> None:
    registry = discover([tmp_path / "nowhere"], describe=shop.describer)
    assert ("nowhere", "no such folder") in [(broken.name, broken.message) for broken in registry.broken]


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"world": 1}', b"\xff\xfe"])
def test_a_damaged_cache_is_made_anew(shop: Shop, damage: bytes) -> None:
    shop.cache.write_bytes(damage)
    assert shop.own(shop.discover()) == {"count_orders"}
    assert len(shop.describer.asked) == 2
    shop.discover()
    assert len(shop.describer.asked) == 2


def test_a_cache_that_cannot_be_written_only_costs_time(
    shop: Shop, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").touch()
    registry = discover([shop.folder], tmp_path / "file" / "cache.json", describe=shop.describer)
    assert shop.own(registry) == {"count_orders"}
    assert "cannot be written" in caplog.text
