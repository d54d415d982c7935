#!/bin/sh
# Install the versions of uv.lock, with their hashes checked, into a virtual environment.
#   install_packages.sh FOLDER BUILD [EXTRA ...]     BUILD of torch: cpu, cu126 or cu130
# PyPI's torch for Linux is the build for CUDA 13.0; the others come from PyTorch's own index, which
# the lock does not know.
set -eu
folder=$(cd "$1" && pwd) build=$2
shift 2
cd "$(dirname "$0")/.."
python=$folder/bin/python

"$python" -m pip install --quiet --disable-pip-version-check "$(sed -n 's/.*"\(uv==[^"]*\)".*/\1/p' pyproject.toml)"
[ "$build" = cu130 ] || TORCH=$build sh tools/install_torch.sh "$python"
not_locked=""
if "$python" -m pip show --quiet torch 2>/dev/null; then
  not_locked="--no-install-package torch $("$python" -c 'from tools.lock import cuda_packages
for name in cuda_packages(): print("--no-install-package", name)')"
fi
extras=""
for extra in "$@"; do extras="$extras --extra $extra"; done
UV_PROJECT_ENVIRONMENT=$folder "$folder/bin/uv" sync --quiet --frozen --inexact --no-default-groups \
  $extras $not_locked
# The server may not write here, so what it imports is compiled now; the rest is never imported.
PYTHONDONTWRITEBYTECODE='' "$python" -W ignore -c "import torch._dynamo, matplotlib.pyplot, pandas, streamlit.web.cli, alembic.command"
