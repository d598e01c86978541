# Debian packages that building, running and testing need. Sourced by deploy/up and deploy/test.
# shellcheck shell=bash

readonly build_packages=(pkg-config libpq-dev libcurl4-openssl-dev libssl-dev libnghttp2-dev libzstd-dev)
readonly run_packages=(postgresql-15 openssl)
# zstd: a second reader of recorded tapes. nghttp2-proxy (nghttpd) and nghttp2-client (h2load): HTTP/2 peers that are not ours. python3: small servers in tests; with python3-venv the lab of the gateway.
readonly test_packages=(nghttp2-client nghttp2-server curl python3 python3-venv zstd)
# sqlmap: tries to inject SQL in `deploy/soak gateway`.
readonly soak_packages=(sqlmap)
# faketime: wrong clocks for `deploy/chaos`.
readonly chaos_packages=(faketime)
# wrk: a client of `deploy/bench gateway` that costs little.
readonly bench_packages=(wrk)

# install_packages NAME…: installs what is missing, as root or through sudo; otherwise says what to run and fails.
install_packages() {
    local missing=() package
    for package in "$@"; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    local as_root=()
    if [ "$(id -u)" != 0 ]; then
        if command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
            as_root=(sudo)
        else
            echo "Missing packages. Run as root:  mkdir -p /etc/postgresql-common && echo 'create_main_cluster = false' >> /etc/postgresql-common/createcluster.conf; apt-get update && apt-get install -y --no-install-recommends ${missing[*]}" >&2
            return 1
        fi
    fi
    echo "Installing ${missing[*]} …" >&2
    # Debian's package would make and start a cluster of its own; nobody here wants that one.
    if ! dpkg-query -W postgresql-common >/dev/null 2>&1; then
        "${as_root[@]}" mkdir -p /etc/postgresql-common
        [ -e /etc/postgresql-common/createcluster.conf ] ||
            echo 'create_main_cluster = false' | "${as_root[@]}" tee /etc/postgresql-common/createcluster.conf >/dev/null
    fi
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq update
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends \
        -o Dpkg::Options::=--force-confold "${missing[@]}" >/dev/null
}

require_swift() {
    command -v swift >/dev/null && return 0
    echo "swift is not in PATH: install the Swift 6.3 toolchain for Debian 12 first (https://www.swift.org/install)" >&2
    return 1
}
