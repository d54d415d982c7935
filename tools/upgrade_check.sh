#!/bin/sh
# Lock the newest versions of everything in a copy of the project, show what differs, and run the
# quick checks there: make upgrade-check
set -eu
cd "$(dirname "$0")/.."
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
git ls-files -z | xargs -0 cp --parents --target-directory="$copy"
python=$(pwd)/.venv/bin/python
cd "$copy"
sed -i '/^dependencies = \[/,/^\[tool.uv\]/ s/==/>=/' pyproject.toml
"$python" -m tools.lock --upgrade
diff "$OLDPWD/requirements-dev.txt" requirements-dev.txt || true
git init -q
make check
