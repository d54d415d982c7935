#!/bin/sh
# Install the build of torch that this machine's NVIDIA driver can run.
#   sh tools/install_torch.sh PYTHON    TORCH=cpu|cu126|cu130 names another build
#   sh tools/install_torch.sh           only prints the build
# CUDA 13.0 needs driver 580 and compute capability 7.5 (Turing) or later; CUDA 12.6 needs driver 525
# and is built for compute capabilities 5.0 to 9.0.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)

choose() {
  case ${TORCH:-auto} in
    auto | "") ;;
    cpu | cu126 | cu130) echo "$TORCH"; return ;;
    *) echo "TORCH=$TORCH is no build of torch: cpu, cu126, cu130 or auto" >&2; exit 1 ;;
  esac
  gpus=$(nvidia-smi --query-gpu=driver_version,compute_cap --format=csv,noheader 2>/dev/null) ||
    gpus=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader 2>/dev/null | sed 's/$/, 0.0/')  # an old driver
  printf '%s\n' "$gpus" | awk -F '[., ]+' '
    $1 ~ /^[0-9]+$/ && NF >= 4 {
      driver = $1
      capability = $(NF - 1) + $NF / 10
      if (!least || capability < least) least = capability
      if (capability > most) most = capability
    }
    END {
      if (!driver) print "cpu"
      else if (driver >= 580 && least >= 7.5) print "cu130"
      else if (driver >= 525 && least >= 5 && most < 10) print "cu126"
      else {
        print "cpu"
        known = least ? " and compute capability " least : ""
        print "No CUDA build of torch runs with NVIDIA driver " driver known ": CUDA 13.0 needs driver 580 and 7.5, CUDA 12.6 needs driver 525 and 5.0 to 9.0. The CPU build is installed, and GPUs are simulated." > "/dev/stderr"
      }
    }'
}

build=$(choose)
if [ $# = 0 ]; then echo "$build"; exit; fi
[ "$(uname -s)" = Linux ] || [ -n "${TORCH:-}" ] || exit 0  # elsewhere PyPI has the right one
alone=""
[ "$build" != cpu ] || alone=--no-deps  # those of CUDA come from the same index; all others are not needed yet
wanted=$(sed -n 's/^\(torch==[^ ;]*\).*/\1/p' "$here/requirements.txt")
"$1" -m pip install -qq --disable-pip-version-check --no-compile --retries 1 $alone \
  --index-url "${TORCH_INDEX:-https://download.pytorch.org/whl/$build}" "$wanted" ||
  echo "The index of torch's builds does not answer; PyPI's build is taken, which has CUDA on Linux." >&2
