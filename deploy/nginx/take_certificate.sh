#!/bin/sh
# What certbot calls after it has fetched or renewed a certificate:
#   --deploy-hook "take_certificate.sh FOLDER COMMAND..."   puts it there, then runs the command;
# what the command says is told where it fails, for certbot takes any word for an error.
set -eu
folder=$1
shift
umask 077
for part in fullchain.pem privkey.pem; do
  cp -L "$RENEWED_LINEAGE/$part" "$folder/$part.new"
  mv "$folder/$part.new" "$folder/$part"
done
said=$("$@" 2>&1) || { printf '%s\n' "$said" >&2; exit 1; }
