#!/bin/sh
# The tests of deploy/ run the shipped configuration in a real nginx; without one they are skipped.
set -eu
if command -v nginx >/dev/null 2>&1 || [ -x /usr/sbin/nginx ]; then exit 0; fi
as_root=""
[ "$(id -u)" -eq 0 ] || as_root="sudo -n"
if command -v apt-get >/dev/null 2>&1 && $as_root true 2>/dev/null; then
  $as_root apt-get update -qq
  DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends \
    nginx-light >/dev/null
else
  echo "Install nginx to run the tests of deploy/; without it they are skipped." >&2
fi
