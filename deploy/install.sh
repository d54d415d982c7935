#!/bin/sh
# Installs Torch Playground as systemd services behind nginx; run again after a pull, it updates them,
# one replica after the other.
#   sudo deploy/install.sh NAME [auto|cpu|cu130|cu126 [PORT ...]]
# NAME is what students type, the second word the build of torch, which the NVIDIA driver decides if
# it is "auto"; each port is a replica. Without a port those that are there stay, 8501 at first.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
source=$(dirname "$here")
name=${1:?say what students type: sudo deploy/install.sh playground.example.edu}
build=$(TORCH=${2:-auto} sh "$source/tools/install_torch.sh")
before=""
for unit in /etc/systemd/system/multi-user.target.wants/torch-playground@*.service; do
  port=${unit##*@}
  [ ! -L "$unit" ] || before="$before ${port%.service}"
done
if [ $# -gt 2 ]; then shift 2; ports=$*; else ports=${before:-8501}; fi
target=/opt/torch-playground
settings=/etc/torch-playground.env
certificate=/etc/torch-playground/certificate
python=$(sh "$source/tools/find_python.sh" "${PYTHON:-}")

id torch-playground >/dev/null 2>&1 ||
  useradd --system --home-dir /var/lib/torch-playground --shell /usr/sbin/nologin torch-playground
"$here/write_env.sh" "$name" "$build" "$settings"
setting() { sed -n "s/^$1=//p" "$settings" | tail -n 1 | tr -d "\"'"; }
address=$(setting STREAMLIT_SERVER_ADDRESS)
case $address in "" | 0.0.0.0) address=127.0.0.1 ;; esac

# The running version is never changed: a new version and new packages get folders of their own.
cd "$source"
umask 022
extras=postgresql
! grep -q '^PLAYGROUND_RAY_ADDRESS=.' "$settings" || extras="$extras ray"
packages=$target/packages/$build-${python##*/}-$(echo "$extras" | cat - uv.lock | sha256sum | cut -c 1-12)
if [ ! -e "$packages/is-complete" ]; then
  "$python" -m venv --clear "$packages"
  deploy/install_packages.sh "$packages" "$build" $extras
  touch "$packages/is-complete"
fi
version=$target/versions/$(date -u +%Y%m%d-%H%M%S)
mkdir -p "$version"
cp -R app.py .streamlit hosting pages playground ui deploy "$version"
ln -s "$packages" "$version/.venv"
"$packages/bin/python" -m compileall -q "$version/hosting" "$version/pages" "$version/playground" "$version/ui"
ln -s "$version" "$target/next"
mv -T "$target/next" "$target/current"

install -m 0644 deploy/systemd/torch-playground@.service /etc/systemd/system/
deploy/nginx/self_signed.sh "$name" "$certificate"
mkdir -p /var/www/acme
replicas=$(setting REPLICAS)  # those of several machines
[ -n "$replicas" ] || for port in $ports; do replicas="${replicas:+$replicas }$address:$port"; done
SERVER_NAME=$name REPLICAS=$replicas CERTIFICATE_FOLDER=$certificate \
  PAGES_FOLDER=$target/current/deploy/nginx deploy/nginx/configure.sh
nginx -q -t

systemctl daemon-reload
for port in $ports; do  # the next one only once this one answers: the class keeps a replica
  systemctl enable --quiet "torch-playground@$port"
  systemctl restart "torch-playground@$port"
  attempts=0
  until curl --silent --fail --output /dev/null "http://$address:$port/api/health"; do
    attempts=$((attempts + 1))
    [ "$attempts" -lt 120 ] || { journalctl -u "torch-playground@$port" -n 20 >&2; exit 1; }
    sleep 1
  done
done
systemctl enable --quiet nginx
systemctl reload-or-restart nginx
for port in $before; do
  case " $ports " in *" $port "*) ;; *) systemctl disable --quiet --now "torch-playground@$port" ;; esac
done
token=$(setting PLAYGROUND_METRICS_TOKEN)
set -- $ports
attempts=0
while :; do  # GPU and sandbox start after the web process
  health=$(curl --silent --header "Authorization: Bearer $token" "http://$address:$1/api/health")
  attempts=$((attempts + 1))
  case $health in *'"starting"'*) [ "$attempts" -lt 60 ] || break ;; *) break ;; esac
  sleep 1
done
echo "https://$name is open: $replicas. Codes and all other settings: $settings"
echo "Health by parts: $health"
