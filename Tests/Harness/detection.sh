# detection-lab and its oracle: built and called by deploy/test, deploy/soak and deploy/bench. Sourced from the top
# of the repository.
# shellcheck shell=bash

# build_lab: builds detection-lab in release and sets $lab to it; a $lab that is set already is taken as it is.
build_lab() {
    [ -n "${lab:-}" ] && return 0
    swift build -c release --product detection-lab >&2
    lab=$(swift build -c release --show-bin-path)/detection-lab
}

# oracle_tests: the oracle against what is known of the matches.
oracle_tests() { python3 -B -m unittest discover --start-directory Tests/Oracle; }

# conformance [OPTION…]: every match against the oracle, clean and dirty; the last line on standard output is JSON.
conformance() {
    local counted
    counted=$(mktemp -d)
    python3 -B Tests/Oracle/events.py Tests/Fixtures/matches --write "$counted" || return
    local status=0
    "$lab" conformance --oracle "$counted" --jobs "${lab_jobs:-$(nproc)}" "$@" || status=$?
    rm -rf "$counted"
    return $status
}

# made_up COUNT FIRST [OPTION…]: as conformance, with COUNT matches that generate.py makes up from seed FIRST on.
made_up() {
    local count=$1 first=$2 folder seed status=0
    shift 2
    folder=$(mktemp -d)
    mkdir "$folder/matches" "$folder/counted"
    for seed in $(seq "$first" $((first + count - 1))); do
        python3 -B Tests/Oracle/generate.py "$seed" >"$folder/matches/$seed.json" || return
    done
    python3 -B Tests/Oracle/events.py "$folder/matches" --write "$folder/counted" || return
    "$lab" conformance --matches "$folder/matches" --oracle "$folder/counted" --jobs "${lab_jobs:-$(nproc)}" "$@" || status=$?
    # What failed can be played again only as long as its match is there.
    [ $status != 0 ] || rm -rf "$folder"
    return $status
}

# fuzz COUNT SEED: damaged frames, in as many processes as there are processors; prints one line of JSON that adds them up.
fuzz() {
    local count=$1 seed=$2 jobs share job status=0 pids=() results
    jobs=${lab_jobs:-$(nproc)}
    share=$(((count + jobs - 1) / jobs))
    results=$(mktemp -d)
    for ((job = 0; job < jobs; job++)); do
        "$lab" fuzz --count "$share" --seed $((seed + job * share)) >"$results/$job" &
        pids+=($!)
    done
    for job in "${pids[@]}"; do wait "$job" || status=1; done
    # A process that died has left no line: that is a failure of its own.
    python3 -B - "$results" "$jobs" "$seed" <<'EOF' || status=1
import json, pathlib, sys
folder, jobs, seed = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
lines = [json.loads(line) for path in sorted(folder.iterdir()) for line in path.read_text().splitlines()]
total = {"check": "fuzz", "seed": seed}
for key in ("count", "accepted", "refused", "absent", "failed"):
    total[key] = sum(line[key] for line in lines)
total["died"] = jobs - len(lines)
total["slowestMs"] = max((line["slowestMs"] for line in lines), default=0)
total["met"] = len(lines) == jobs and all(line["met"] for line in lines)
print(json.dumps(total, separators=(",", ":")))
sys.exit(0 if total["met"] else 1)
EOF
    rm -rf "$results"
    return $status
}
