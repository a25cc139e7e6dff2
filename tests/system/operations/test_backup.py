"""A backup of a store at work, and putting it back, with the real command."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.system.cli_folder import Folder
from tests.system.test_cli import serving

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]


def test_what_was_backed_up_beside_a_daemon_can_be_put_back(tmp_path: Path) -> None:
    folder, kept = Folder.make(tmp_path / "config"), tmp_path / "kept"
    with serving(folder):
        assert folder.run("run", "report")[0] == 0
        code, said, err = folder.run("backup", str(kept))
        assert code == 0, err
        [backup] = kept.iterdir()
        assert str(backup) in said
        code, _, err = folder.run("restore", str(backup))
        assert (code, "stop it first" in err) == (69, True)
    before = folder.json("runs", "list")
    folder.run("run", "report", "--dry-run")
    assert len(folder.json("runs", "list")) == 2
    code, said, err = folder.run("restore", str(backup))
    assert (code, "clockwright jobs resume --all" in said) == (0, True), err
    assert folder.json("runs", "list") == before
    assert list((folder.root / "state").glob("clockwright.db.before-restore-*")) != []
    assert folder.run("restore", str(tmp_path))[0] == 2
    code, said, _ = folder.run("run", "report")
    assert (code, "already delivered" in said, folder.delivered()) == (0, True, 1)
