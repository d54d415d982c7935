#!/bin/sh
# Bundles the layout of the builder's graph into ui/builder/assets/dagre.js, from tools/builder.
# Needed only after a change there; Node and npm must be there.
set -eu
cd "$(dirname "$0")/builder"
npm ci --silent --no-audit --no-fund
out=../../ui/builder/assets
digest=$(cat dagre.js package.json package-lock.json | sha256sum | cut -c1-64)
npx --no-install esbuild dagre.js --bundle --minify --format=esm --target=es2022 \
  --legal-comments=none --charset=utf8 --outfile="$out/dagre.js" \
  --banner:js="/* Bundled by tools/build_layout.sh from tools/builder ($digest). Licences: LICENSES.txt */"
{
  echo "dagre.js is bundled from these packages:"
  for folder in $(npm ls --omit=dev --all --parseable | tail -n +2 | LC_ALL=C sort); do
    name=$(node -p "const p = require('$folder/package.json'); p.name + ' ' + p.version")
    echo
    echo "== $name"
    cat "$folder"/LICENSE*
  done
} >"$out/LICENSES.txt"
wc -c "$out/dagre.js"
