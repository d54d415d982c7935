#!/bin/sh
# Hosts a class on a fresh Debian 12 or 13, or Ubuntu 22.04 or 24.04, with ports 80 and 443 open:
#   curl -fsSL https://raw.githubusercontent.com/OWNER/torch-playground/main/deploy/bootstrap.sh |
#     sudo sh -s -- NAME EMAIL [VERSION]
# NAME is what students type, EMAIL is for the certificate, VERSION a tag of a release. It asks no
# questions, so the same lines are user data for cloud-init, and it may be run again.
set -eu
repository=${REPOSITORY:-https://github.com/OWNER/torch-playground}
source=/opt/torch-playground/source
settings=/etc/torch-playground.env
name=${1:-} email=${2:-} version=${3:-main}

fail() { printf '%s\n' "$*" >&2; exit 1; }
if [ -z "$name" ] || [ -z "$email" ]; then
  address=$(hostname -I 2>/dev/null | cut -d ' ' -f 1)
  fail "Say what students type and your e-mail address: bootstrap.sh playground.example.edu you@example.edu
Without a domain name, take a name service for addresses: sslip.io leads 203-0-113-7.sslip.io to
203.0.113.7. This machine says that its address is ${address:-unknown}; the name needs the address that
the internet sees."
fi
case $name in
  *[!A-Za-z0-9.-]* | .* | -* | *..*) fail "'$name' is no host name: letters, digits, dots and hyphens" ;;
  *[!0-9.]*) ;;
  *) fail "'$name' is an address, for which certbot has no certificate: take $(printf %s "$name" | tr . -).sslip.io" ;;
esac
case $email in ?*@?*) ;; *) fail "'$email' is no e-mail address" ;; esac
[ "$(id -u)" = 0 ] || fail "Run it as root: sudo sh bootstrap.sh $name $email"
system=$(. /etc/os-release && printf '%s %s' "$ID" "$VERSION_ID")
case $system in
  "debian 12" | "debian 13" | "ubuntu 22.04" | "ubuntu 24.04") ;;
  *) fail "This is $system; the script knows Debian 12 and 13, and Ubuntu 22.04 and 24.04. docs/hosting.md has the steps" ;;
esac

export DEBIAN_FRONTEND=noninteractive
apt-get -q update
apt-get -q install -y ca-certificates git nginx certbot curl openssl sqlite3 python3-venv
if [ -d "$source/.git" ]; then
  git -C "$source" fetch -q --depth 1 origin "$version"
  git -C "$source" checkout -q FETCH_HEAD
else
  git -c advice.detachedHead=false clone -q --depth 1 --branch "$version" "$repository" "$source"
fi
if ! python=$(sh "$source/tools/find_python.sh" 2>/dev/null); then  # Ubuntu 22.04 has 3.10
  uv=/opt/torch-playground/uv
  python3 -m venv "$uv"
  "$uv/bin/pip" install -q uv
  UV_PYTHON_INSTALL_DIR=/opt/torch-playground/python "$uv/bin/uv" python install -q 3.13
  python=$(UV_PYTHON_INSTALL_DIR=/opt/torch-playground/python "$uv/bin/uv" python find 3.13)
fi
PYTHON=$python "$source/deploy/install.sh" "$name" "${TORCH:-auto}"

# A certificate of the operator's own stays: ours was signed by itself or fetched by certbot.
own=/etc/torch-playground/certificate
signed=$(openssl x509 -in "$own/fullchain.pem" -noout -subject -issuer | sed 's/^[a-z]*=//' | uniq | wc -l)
if [ "$signed" = 1 ] || [ -d "/etc/letsencrypt/live/$name" ]; then
  certbot certonly --webroot -w /var/www/acme -d "$name" --non-interactive --agree-tos -m "$email" \
    --keep-until-expiring \
    --deploy-hook "$source/deploy/nginx/take_certificate.sh $own systemctl reload nginx" ||
    echo "There is no certificate yet, so browsers will warn: does $name lead to this machine, and is port 80 open? Then run this again." >&2
fi

echo "Students open https://$name. The codes of students and of the teacher:"
grep '_CODE=' "$settings"
