#!/bin/sh
# Writes nginx.conf and replicas.conf from environment variables:
#   SERVER_NAME          what students type, e.g. playground.example.edu
#   REPLICAS             the web processes, e.g. "127.0.0.1:8501 127.0.0.1:8502"
#   CERTIFICATE_FOLDER   holds fullchain.pem and privkey.pem
#   CONF_FOLDER          where the two files go
set -eu
here=$(cd "$(dirname "$0")" && pwd)
: "${SERVER_NAME:?say what students type: SERVER_NAME=playground.example.edu}"
: "${REPLICAS:=127.0.0.1:8501}" "${CERTIFICATE_FOLDER:=/etc/torch-playground/certificate}"
: "${CONF_FOLDER:=/etc/nginx}" "${PAGES_FOLDER:=$here}" "${ACME_FOLDER:=/var/www/acme}"
: "${LOG_FOLDER:=/var/log/nginx}" "${RUN_FOLDER:=/run}" "${TEMP_FOLDER:=/var/lib/nginx}"
: "${HTTP_PORT:=80}" "${HTTPS_PORT:=443}" "${UPLOAD_MEGABYTES:=21}" "${NGINX_USER=www-data}" "${LISTEN:=}"
USER_LINE=${NGINX_USER:+user $NGINX_USER;}
HTTPS_SUFFIX=:$HTTPS_PORT
[ "$HTTPS_PORT" != 443 ] || HTTPS_SUFFIX=""

upstream() {  # its name, then its lines
  echo "upstream $1 {"
  echo "    zone $1 64k;"
  shift
  for line in "$@"; do echo "    $line;"; done
  echo "    keepalive 32;"
  echo "    keepalive_timeout 3s;"  # below the 5 s after which the playground closes a connection
  echo "}"
}

replicas() {
  echo "# Written by configure.sh: the number of each replica."
  set -- least_conn
  for address in $REPLICAS; do set -- "$@" "server $address max_fails=1 fail_timeout=5s"; done
  # Where all have failed, one may be back already.
  for address in $REPLICAS; do set -- "$@" "server $address backup max_fails=0"; done
  upstream playground "$@"
  entries="" used="" number=0
  for address in $REPLICAS; do
    number=$((number + 1))
    set -- "server $address max_fails=0"  # who gets an answer from another moves to it
    for other in $REPLICAS; do
      [ "$other" = "$address" ] || set -- "$@" "server $other backup max_fails=0"
    done
    upstream "playground_$number" "$@"
    entries="$entries $number playground_$number;"
    used="$used \"~(^|[ ,])$(echo "$address" | sed 's/[.]/[.]/g')\$\" $number;"
  done
  echo "map \$cookie_playground_replica \$playground_upstream { default playground;$entries }"
  echo "map \$upstream_addr \$playground_replica { default \"\";$used }"
}

replicas > "$CONF_FOLDER/replicas.conf"
script=""
for name in SERVER_NAME CERTIFICATE_FOLDER PAGES_FOLDER ACME_FOLDER LOG_FOLDER RUN_FOLDER \
  TEMP_FOLDER HTTP_PORT HTTPS_PORT HTTPS_SUFFIX UPLOAD_MEGABYTES USER_LINE LISTEN; do
  eval "value=\$$name"
  script="$script;s|\${$name}|$value|g"
done
sed "${script#;}" "$here/nginx.conf.template" > "$CONF_FOLDER/nginx.conf"
