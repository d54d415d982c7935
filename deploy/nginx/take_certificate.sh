#!/bin/sh
# Called by certbot after it has fetched or renewed a certificate:
#   --deploy-hook "take_certificate.sh FOLDER COMMAND..."   puts it there, then runs the command.
# The command's output is printed only if it fails, since certbot takes any output for an error.
set -eu
folder=$1
shift
umask 077
for part in fullchain.pem privkey.pem; do
  cp -L "$RENEWED_LINEAGE/$part" "$folder/$part.new"
  mv "$folder/$part.new" "$folder/$part"
done
said=$("$@" 2>&1) || { printf '%s\n' "$said" >&2; exit 1; }
