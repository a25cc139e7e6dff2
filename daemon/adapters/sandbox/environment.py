"""The small environment that tool processes get; no secret of the daemon can be in it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

_ALLOWED = ("PATH", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "TZ", "SSL_CERT_FILE", "SSL_CERT_DIR")
_INHERITED_BY_WORKERS = (
    *_ALLOWED,
    "MPLCONFIGDIR",
    "CLOCKWRIGHT_CACHE",
    "MPLBACKEND",
    "OPENBLAS_NUM_THREADS",
    "OMP_NUM_THREADS",
)

SOURCE_ROOT = Path(__file__).resolve().parents[3]
"""The folder that holds the package `daemon`, wherever it is installed."""


def for_zygote(cache: Path, marker: str) -> dict[str, str]:
    """The environment of a zygote or a describer.

    Numeric libraries and pyarrow's allocator stay single-threaded in it: a thread does not survive a fork.
    """
    allowed = {name: os.environ[name] for name in _ALLOWED if name in os.environ}
    paths = [str(SOURCE_ROOT), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    return {
        "PATH": os.defpath,
        **allowed,
        "PYTHONPATH": os.pathsep.join(dict.fromkeys(paths)),
        "HOME": str(cache),
        "MPLCONFIGDIR": str(cache / "matplotlib"),
        "CLOCKWRIGHT_CACHE": str(cache),
        "MPLBACKEND": "agg",
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "JE_ARROW_MALLOC_CONF": "background_thread:false",
        # pyarrow's own allocator reserves a gigabyte at its first use, which a worker's memory limit counts.
        "ARROW_DEFAULT_MEMORY_POOL": "system",
        "CLOCKWRIGHT_SANDBOX": marker,
    }


def for_worker(zygote: Mapping[str, str]) -> dict[str, str]:
    """What a worker keeps of its zygote's environment; HOME and TMPDIR will be the call's own folder."""
    return {name: zygote[name] for name in _INHERITED_BY_WORKERS if name in zygote}
