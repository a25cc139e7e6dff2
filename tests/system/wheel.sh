#!/bin/sh
# Build the wheel, install it in a fresh environment, leave the repository, and use it there.
# BIN: the folder of the environment that builds; PYTHON: the interpreter for the fresh one.
set -eu
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
rm -rf dist
"$BIN/python" -m hatchling build -t wheel >"$box/build.log" 2>&1 || { cat "$box/build.log"; exit 1; }
"$PYTHON" -m venv "$box/venv"
"$box/venv/bin/python" -m pip --disable-pip-version-check --quiet install --require-hashes -r requirements/run.lock
"$box/venv/bin/python" -m pip --disable-pip-version-check --quiet install --no-deps dist/*.whl
mkdir "$box/elsewhere"
cd "$box/elsewhere"
"$box/venv/bin/clockwright" init config
"$box/venv/bin/clockwright" --config config validate
"$box/venv/bin/clockwright" dashboards export --to monitoring >/dev/null
"$box/venv/bin/clockwright" --config config systemd install --dry-run >/dev/null 2>&1
echo "the wheel works outside the repository"
