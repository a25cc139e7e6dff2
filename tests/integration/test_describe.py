"""The describing process against modules that are no tools; every import here is real."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from daemon.domain.tool import BrokenTool
from daemon.registry import Registry, discover, run_describer

pytestmark = pytest.mark.slow

GOOD = '''"""Say a number."""
from atomic_tools import ToolContext, ToolInput, ToolOutput, tool
from atomic_tools._numbers import NUMBER

class Input(ToolInput):
    count: int

class Output(ToolOutput):
    number: int
    def summary(self) -> str:
        return str(self.number)

@tool()
def NAME(request: Input, context: ToolContext) -> Output:
    """Say a number."""
    return Output(number=NUMBER)
'''
UNSAID = GOOD.replace('"""Say a number."""', "", 1).replace('    """Say a number."""\n', "")
MODULES = {
    "a_hang": "import threading\nthreading.Event().wait()\n",
    "b_exit": "import os\nos._exit(0)\n",
    "c_leave": "import sys\n\nsys.exit('bye')\n",
    "d_syntax": "def f(:\n    pass\n",
    "e_missing": "\n\nimport no_such_package_at_all\n",
    "f_renamed": GOOD.replace("NAME", "something_else"),
    "g_unsaid": UNSAID.replace("NAME", "g_unsaid"),
    "h_empty": "",
    "i_external": GOOD.replace("NAME", "i_external").replace("@tool()", "@tool(effect='external')"),
    "j_noisy": "print('{}')\nimport os; os.write(1, b'noise')\n" + GOOD.replace("NAME", "j_noisy"),
    "k_thread": "import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()\n"
    + GOOD.replace("NAME", "k_thread"),
    "z_good": GOOD.replace("NAME", "z_good"),
    "_numbers": "NUMBER = 1\n",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tools")
    for name, text in MODULES.items():
        (folder / f"{name}.py").write_text(text)
    return folder


@pytest.fixture(scope="module")
def registry(folder: Path) -> Registry:
    return discover([folder], describe=partial(run_describer, patience=4.0))


@pytest.mark.parametrize(
    ("name", "line", "words"),
    [
        ("a_hang", None, "hung for 4 s"),
        ("b_exit", None, "ended the process"),
        ("c_leave", 3, "SystemExit: bye"),
        ("d_syntax", 1, "SyntaxError"),
        ("e_missing", 3, "No module named 'no_such_package_at_all'"),
        ("f_renamed", 13, "found: something_else"),
        ("g_unsaid", 13, "needs a docstring"),
        ("h_empty", None, "found: none"),
        ("i_external", 13, "declares no reconcile"),
        ("k_thread", 15, "starts a thread"),
    ],
)
def test_a_module_that_is_no_tool_is_reported_with_its_line(
    registry: Registry, name: str, line: int | None, words: str
) -> None:
    (broken,) = [broken for broken in registry.broken if broken.name == name]
    assert words in broken.message
    assert broken.line == line
    assert name not in registry.tools


def test_the_neighbours_of_broken_modules_are_described_whole(registry: Registry, folder: Path) -> None:
    spec = registry.tools["z_good"]
    assert spec.description == "Say a number."
    assert spec.input_schema["properties"]["count"]["type"] == "integer"
    assert spec.output_schema["required"] == ["number"]
    assert spec.path == str(folder / "z_good.py")


def test_noise_at_import_does_not_disturb_the_report(registry: Registry) -> None:
    assert "j_noisy" in registry.tools


def test_a_shipped_tool_cannot_be_broken_by_an_extra_folder(registry: Registry, folder: Path) -> None:
    assert {Path(broken.path).parent for broken in registry.broken} == {folder}
    assert all(isinstance(broken, BrokenTool) for broken in registry.broken)


def test_the_digest_follows_shared_code_and_not_the_folder(tmp_path: Path) -> None:
    def digest(folder: Path, number: int) -> str:
        folder.mkdir(exist_ok=True)
        (folder / "z_good.py").write_text(MODULES["z_good"])
        (folder / "_numbers.py").write_text(f"NUMBER = {number}\n")
        return discover([folder]).tools["z_good"].digest

    first = digest(tmp_path / "one", 1)
    assert digest(tmp_path / "two", 1) == first
    assert digest(tmp_path / "one", 2) != first
