#!/bin/sh
# What certbot calls after it has fetched or renewed a certificate:
#   --deploy-hook "take_certificate.sh FOLDER COMMAND..."   puts it there, then runs the command
set -eu
folder=$1
shift
umask 077
for part in fullchain.pem privkey.pem; do
  cp -L "$RENEWED_LINEAGE/$part" "$folder/$part.new"
  mv "$folder/$part.new" "$folder/$part"
done
"$@"
