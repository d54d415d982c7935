#!/bin/sh
# Makes a self-signed certificate, so that nginx can start and fetch a real one.
#   self_signed.sh NAME FOLDER     does nothing if the folder has one already
set -eu
[ ! -e "$2/fullchain.pem" ] || exit 0
mkdir -p "$2"
umask 077
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 90 \
  -subj "/CN=$1" -addext "subjectAltName=DNS:$1" \
  -keyout "$2/privkey.pem" -out "$2/fullchain.pem" 2>/dev/null
