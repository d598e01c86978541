# Debian packages that building, running and testing need. Sourced by deploy/up and deploy/test.
# shellcheck shell=bash

readonly build_packages=(pkg-config libpq-dev libcurl4-openssl-dev libssl-dev libnghttp2-dev libzstd-dev)
readonly run_packages=(postgresql-15 openssl)
# zstd: a second reader of recorded tapes. nghttp2-proxy (nghttpd) and nghttp2-client (h2load): HTTP/2 peers that are not ours. python3: small servers in tests; with python3-venv the lab of the gateway.
# systemd: systemd-analyze, which looks at our units. python3-yaml: reads the compose files.
readonly test_packages=(nghttp2-client nghttp2-server curl python3 python3-venv zstd systemd python3-yaml)
# A browser for the page of device-lab, and a font like the one it is made for.
readonly page_packages=(chromium fonts-inter)
# Only unpacked: to install prometheus (promtool; 19 MB to download, 96 MB on the disk), haproxy (2 MB) or pgbouncer (1 MB) starts a
# server of each.
readonly unpacked_packages=(
    prometheus haproxy liblua5.3-0 libopentracing-c-wrapper0 libopentracing1 pgbouncer libc-ares2 libevent-2.1-7
)
# sqlmap: tries to inject SQL in `deploy/soak gateway`.
readonly soak_packages=(sqlmap)
# A C compiler: wrong clocks for `deploy/chaos`.
readonly chaos_packages=(gcc libc6-dev)
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

# unpack_tools: sets PROMTOOL, HAPROXY and PGBOUNCER to programs that run where they were unpacked, once for each user and list.
unpack_tools() {
    local folder package
    folder=/var/tmp/sightscreen-tools-$(id -u)-$(cksum <<<"${unpacked_packages[*]}" | cut -d ' ' -f 1)
    if ! [ -e "$folder/complete" ] || ! [ -O "$folder/complete" ]; then
        echo "Unpacking ${unpacked_packages[*]} …" >&2
        rm -rf "$folder"
        # Fails when it is somebody else's.
        mkdir -m 0700 "$folder" "$folder/packages" || return
        if ! (cd "$folder/packages" && apt-get -qq -o APT::Sandbox::User="$(id -un)" download "${unpacked_packages[@]}"); then
            echo "They cannot be downloaded; apt-get update may help" >&2
            return 1
        fi
        for package in "$folder"/packages/*.deb; do dpkg -x "$package" "$folder" || return; done
        rm -rf "$folder/packages"
        touch "$folder/complete"
    fi
    export PROMTOOL=$folder/usr/bin/promtool HAPROXY=$folder/usr/sbin/haproxy PGBOUNCER=$folder/usr/sbin/pgbouncer
    export UNPACKED_LIBRARIES
    UNPACKED_LIBRARIES=$(echo "$folder"/usr/lib/*-linux-gnu*)
}

# The tests in release, in a folder of their own since what others build in release cannot be tested from inside.
tests_build=(swift build -c release --only-use-versions-from-resolved-file --scratch-path .build/tests -debug-info-format none
    -Xswiftc -enable-testing)

# Sets $named to the arguments of `swift build` by which the programs name their commit, for those that are run and not tested.
name_commit() {
    local commit
    commit=$("$(dirname "${BASH_SOURCE[0]}")/commit")
    named=(${commit:+-Xlinker "--build-id=0x636f6d6d6974$commit"})
}

# All that runs for a match, without its page.
readonly suite_products=(api-gateway orchestrator score-poller event-bus la-coordinator mock-sportmonks apns-simulator sightscreen)

# build_release [PRODUCT …]: builds these in release, or everything, and sets $binaries to where they are, unless it is set.
build_release() {
    local product
    [ -z "$binaries" ] || return 0
    echo "Building in release …" >&2
    name_commit
    for product in "$@"; do swift build -c release "${named[@]}" --product "$product" >&2 || return; done
    [ $# -gt 0 ] || swift build -c release "${named[@]}" >&2 || return
    binaries=$(swift build -c release --show-bin-path)
}

require_swift() {
    if [ "$(uname -s)" != Linux ]; then
        echo "The services run on Linux; here they run in containers: docker compose up --build" >&2
        return 1
    fi
    if ! command -v swift >/dev/null; then
        echo "swift is not in PATH: install the Swift 6.3 toolchain for Debian 12 first (https://www.swift.org/install)" >&2
        return 1
    fi
    # The same packages on every machine.
    "$(dirname "${BASH_SOURCE[0]}")/lock"
}
