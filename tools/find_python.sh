#!/bin/sh
# Print the command of the newest supported Python, or of the one that is asked for, if it works.
#   sh tools/find_python.sh [PYTHON]
# A command is no proof: pyenv has one for versions that are not active, and Debian's Python comes
# without what makes environments.
set -eu
asked=${1:-}
works='import sys, ensurepip, venv; raise SystemExit(not (3, 11) <= sys.version_info[:2] <= (3, 14))'
if [ -n "$asked" ]; then set -- "$asked"; else set -- python3.14 python3.13 python3.12 python3.11; fi
for python in "$@"; do
  if "$python" -c "$works" >/dev/null 2>&1; then
    echo "$python"
    exit
  fi
done
echo "Python 3.11, 3.12, 3.13 or 3.14 is needed${asked:+, and $asked is none that works}: install one (on Debian and Ubuntu with python3-venv), or say PYTHON=/path/to/python3.13" >&2
exit 1
