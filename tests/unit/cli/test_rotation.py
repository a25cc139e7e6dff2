"""A secret that is replaced counts from then on, without a restart; so does the place where it is kept."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, field

from daemon.adapters.sandbox.recipe import Recipe
from daemon.config import Loaded, read_settings
from daemon.serving import Serving
from tests.unit.cli.desk import SETTINGS, AtOnce, Desk, job_of

JOB = job_of()


@dataclass
class Renewable(AtOnce):
    recipes: list[Recipe] = field(default_factory=list)

    def renew(self, recipe: Recipe) -> None:
        self.recipes.append(recipe)


def keep_at(desk: Desk, name: str, value: str) -> None:
    """`token` is kept in that file."""
    (desk.folder / name).write_text(value)
    (desk.folder / "clockwright.yaml").write_text(f"{SETTINGS}secrets: {{token: {{file: {name}}}}}\n")


def test_a_rotated_secret_counts_at_once_and_another_place_after_a_reload(desk: Desk) -> None:
    keep_at(desk, "first", "one")
    desk.runner = Renewable()
    with desk.daemon(JOB) as daemon:
        lent = daemon.now.secrets
        assert daemon.outside.secret("token") == "one"
        (desk.folder / "first").write_text("two")
        assert daemon.outside.secret("token") == "two"
        keep_at(desk, "second", "three")
        assert daemon.outside.secret("token") == "two"
        with closing(Serving(daemon)) as serving:
            serving.renew(Loaded(read_settings(desk.folder), (JOB,), ()))
            assert daemon.outside.secret("token") == "three"
            assert lent("token") == "three"
            assert lent.values() == ["three"]
    assert len(desk.runner.recipes) == 1
