"""The port for whoever scrapes: the metrics at their path, and nothing else."""

from __future__ import annotations

import socket
from http.client import HTTPConnection

import pytest
from prometheus_client.parser import text_string_to_metric_families

from daemon.adapters.metrics import Metrics
from daemon.adapters.metrics_server import open_server


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@pytest.mark.parametrize(("path", "status"), [("/metrics", 200), ("/metrics?x=1", 200), ("/", 404), ("/../etc", 404)])
def test_the_metrics_are_at_their_path_and_nothing_else_is_anywhere(path: str, status: int) -> None:
    port = free_port()
    close = open_server("127.0.0.1", port, Metrics().exposition)
    try:
        connection = HTTPConnection("127.0.0.1", port, timeout=5)
        connection.request("GET", path)
        answer = connection.getresponse()
        body = answer.read().decode()
        connection.close()
    finally:
        close()
    assert answer.status == status
    assert bool("clockwright_answers" in body) == (status == 200)
    assert status != 200 or list(text_string_to_metric_families(body))


def test_an_address_that_is_taken_is_an_error() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(OSError, match="in use"):
            open_server("127.0.0.1", taken.getsockname()[1], Metrics().exposition)
