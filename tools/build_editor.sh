#!/bin/sh
# Bundles the lab's code editor into ui/lab/assets/editor.js, the same file from the same sources.
# Needed only after a change in tools/editor; Node and npm must be there.
set -eu
export LC_ALL=C # the order of the sources
cd "$(dirname "$0")/editor"
npm ci --silent --no-audit --no-fund
out=../../ui/lab/assets
digest=$(cat *.js package.json package-lock.json | sha256sum | cut -c1-64)
npx --no-install esbuild editor.js --bundle --minify --format=esm --target=es2022 \
  --legal-comments=none --charset=utf8 --outfile="$out/editor.js" \
  --banner:js="/* Bundled by tools/build_editor.sh from tools/editor ($digest). Licences: LICENSES.txt */"
{
  echo "editor.js is bundled from tools/editor/editor.js (the project's licence) and from these packages:"
  for folder in $(npm ls --omit=dev --all --parseable | tail -n +2 | LC_ALL=C sort); do
    name=$(node -p "const p = require('$folder/package.json'); p.name + ' ' + p.version")
    echo
    echo "== $name"
    cat "$folder"/LICENSE*
  done
} >"$out/LICENSES.txt"
wc -c "$out/editor.js"
