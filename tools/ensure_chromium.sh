#!/bin/sh
# The browser tests drive a system Chromium. Playwright's own download is not used.
set -eu
for name in "${CHROMIUM:-}" /usr/bin/chromium-headless-shell /usr/bin/chromium \
  /usr/bin/chromium-browser /usr/bin/google-chrome; do
  if [ -n "$name" ] && [ -x "$name" ]; then exit 0; fi
done
if command -v apt-get >/dev/null 2>&1; then
  as_root=""
  [ "$(id -u)" -eq 0 ] || as_root="sudo"
  $as_root apt-get update -qq
  chromium=chromium-headless-shell  # it has no window, and draws none
  apt-cache show "$chromium" >/dev/null 2>&1 || chromium=chromium
  DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends \
    "$chromium" fonts-noto-cjk fonts-noto-color-emoji >/dev/null
else
  echo "Install Chromium, or say where it is: CHROMIUM=/path/to/chromium make test" >&2
  exit 1
fi
