"""The API does what its description says, whatever is asked of it."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import CheckFunction
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_schema_conformance,
    status_code_conformance,
)

from daemon.web.application import build
from tests.house import OPERATOR, PLANTED, House

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]
CHECKS: list[CheckFunction] = [
    schemathesis.checks.not_a_server_error,
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
    negative_data_rejection,
]
BEARER = {"Authorization": f"Bearer {OPERATOR}"}


FEW = settings(
    max_examples=20,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
    derandomize=True,
    database=None,
)


@pytest.fixture(scope="module")
def schema(tmp_path_factory: pytest.TempPathFactory) -> schemathesis.BaseSchema:
    house = House(tmp_path_factory.mktemp("house")).furnish(4)
    return schemathesis.openapi.from_asgi("/api/openapi.json", build(house.site), headers=BEARER)


@pytest.mark.parametrize(("mode", "at_least"), [(GenerationMode.POSITIVE, 14), (GenerationMode.NEGATIVE, 10)])
def test_every_call_is_answered_as_described(
    schema: schemathesis.BaseSchema, mode: GenerationMode, at_least: int
) -> None:
    """As described, and wrong in every way that the description can be broken: some calls take nothing to break."""
    called = 0
    for operation in (found.ok() for found in schema.get_all_operations() if isinstance(found, Ok)):
        with suppress(Unsatisfiable):
            called += _call(operation, mode)
    assert called >= at_least


def _call(operation: Any, mode: GenerationMode) -> bool:
    @FEW
    @given(case=operation.as_strategy(generation_mode=mode))
    def calls(case: Any) -> None:
        answer = case.call_and_validate(headers=BEARER, checks=CHECKS)
        assert PLANTED not in answer.text

    calls()
    return True
