#!/bin/sh
# Writes a new file of settings, with random codes and secrets; leaves an existing one as it is.
#   write_env.sh NAME auto|cpu|cu130|cu126 FILE      NAME is what students type
set -eu
usage="write_env.sh playground.example.edu auto FILE"
name=${1:?$usage} file=${3:?$usage}
[ ! -e "$file" ] || exit 0
variant=$(TORCH=${2:?$usage} sh "$(dirname "$0")/../tools/install_torch.sh")

code() { LC_ALL=C tr -dc 'abcdefghjkmnpqrstuvwxyz23456789' < /dev/urandom | head -c "$1"; }
secret() { LC_ALL=C tr -dc 'abcdef0123456789' < /dev/urandom | head -c 64; }

password=$(secret)
umask 077
cat > "$file" <<END
# Settings of Torch Playground; docs/settings.md has them all. Keep this file to yourself.
SERVER_NAME=$name
VARIANT=$variant

# Who may come in: open, code or oidc. See docs/hosting.md, "Who may come in".
PLAYGROUND_GATE=code
PLAYGROUND_CLASS_CODE=$(code 8)
PLAYGROUND_TEACHER_CODE=$(code 12)
PLAYGROUND_PUBLIC_ADDRESS=https://$name

# Signs cookies; equal for all replicas.
PLAYGROUND_COOKIE_SECRET=$(secret)
# The token with which Prometheus reads /api/metrics.
PLAYGROUND_METRICS_TOKEN=$(secret)
PLAYGROUND_LOG_FORMAT=json

# PostgreSQL in place of SQLite. See docs/hosting.md, "PostgreSQL".
POSTGRES_PASSWORD=$password
# PLAYGROUND_DATABASE=postgresql+psycopg://playground:$password@postgres/playground
END
[ "$variant" = cpu ] || echo "COMPOSE_FILE=compose.yaml:compose.gpu.yaml" >> "$file"
