# The gateway's scenarios (Tests/GatewayScenarios): sourced from the top of the repository.
# shellcheck shell=bash

# gateway_python: prints a Python that has what Tests/GatewayScenarios/requirements.txt names; makes it the first time.
gateway_python() {
    local requirements=Tests/GatewayScenarios/requirements.txt key folder
    key=$( (python3 --version && cat "$requirements") | sha256sum | cut -c 1-16)
    folder=${XDG_CACHE_HOME:-${HOME:?}/.cache}/sightscreen/gateway-lab-$key
    mkdir -p "$(dirname "$folder")"
    # Two at once do not meet, and one that is half done is made anew.
    (
        flock 9
        [ ! -e "$folder/complete" ] || exit 0
        echo "Making a Python environment for the gateway's scenarios …" >&2
        rm -rf "$folder"
        python3 -m venv "$folder" >&2 &&
            "$folder/bin/python" -m pip --disable-pip-version-check install --quiet --requirement "$requirements" >&2 &&
            touch "$folder/complete"
    ) 9>"$folder.lock" || {
        echo "No Python environment: $requirements could not be installed." >&2
        return 1
    }
    echo "$folder/bin/python"
}

# gateway_tool SCRIPT [ARGUMENT …]: a script with that Python.
gateway_tool() {
    local python
    python=$(gateway_python) || return
    "$python" -B "$@"
}

# gateway_scenario BINARIES SCRIPT [ARGUMENT …]: one scenario with the executables in BINARIES.
gateway_scenario() {
    local binaries=$1 script=$2
    shift 2
    gateway_tool "Tests/GatewayScenarios/$script.py" --binaries "$binaries" "$@"
}

# gateway_scenario_raw [--proxy] BINARIES SCRIPT [ARGUMENT …]: a check that talks to any gateway's port: that of a gateway that it starts, or
# of the proxy in front of it.
gateway_scenario_raw() {
    local front=() binaries script python
    [ "$1" != --proxy ] || { front=(--proxy) && shift; }
    binaries=$1 script=$2
    shift 2
    python=$(gateway_python) || return
    # shellcheck disable=SC2016
    "$python" -B Tests/GatewayScenarios/scenario.py run --binaries "$binaries" "${front[@]}" --set RATE_LIMIT_FACTOR=0 -- \
        sh -c 'python=$1 script=$2; shift 2; [ "$script" != slow ] || set -- --bearer "$LAB_TOKEN_ALICE" --pause 0.02 "$@"
            exec "$python" -B "Tests/GatewayScenarios/$script.py" --port "${LAB_URL##*:}" "$@"' \
        sh "$python" "$script" "$@"
}
