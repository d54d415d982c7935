#!/bin/sh
# Bundles a script from npm packages, the same file from the same sources: `sh tools/bundle.sh editor`
# (the lab's code editor) or `sh tools/bundle.sh builder` (the layout of the builder's graph).
# Needed only after a change in tools/editor or tools/builder; Node and npm must be there.
set -eu
export LC_ALL=C # the order of the sources
case "$1" in
  editor) out=ui/lab/assets/editor.js ;;
  builder) out=ui/builder/assets/dagre.js ;;
  *) echo "editor or builder?" >&2 && exit 2 ;;
esac
name=$(basename "$out")
cd "$(dirname "$0")/$1"
out=../../$out
npm ci --silent --no-audit --no-fund
digest=$(cat *.js package.json package-lock.json | sha256sum | cut -c1-64)
npx --no-install esbuild "$name" --bundle --minify --format=esm --target=es2022 \
  --legal-comments=none --charset=utf8 --outfile="$out" \
  --banner:js="/* Bundled by tools/bundle.sh from tools/$1 ($digest). Licences: LICENSES.txt */"
{
  echo "$name is bundled from tools/$1/$name (the project's licence) and from these packages:"
  for folder in $(npm ls --omit=dev --all --parseable | tail -n +2 | sort); do
    package=$(node -p "const p = require('$folder/package.json'); p.name + ' ' + p.version")
    echo
    echo "== $package"
    cat "$folder"/LICENSE*
  done
} >"$(dirname "$out")/LICENSES.txt"
wc -c "$out"
