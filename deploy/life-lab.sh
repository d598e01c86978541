# The lab of Live Activities' lives (Tests/LifeLab): built and called by deploy/test and deploy/soak. Sourced from the top
# of the repository.
# shellcheck shell=bash

# build_life_lab: builds life-lab in release and sets $life_lab to it; a $life_lab that is set already is taken as it is.
build_life_lab() {
    [ -n "${life_lab:-}" ] && return 0
    swift build -c release --product life-lab >&2
    life_lab=$(swift build -c release --show-bin-path)/life-lab
}

# life_random SCHEDULES SEED: random schedules, from that seed on.
life_random() { "$life_lab" run --schedules "$1" --seed "$2" --jobs "${lab_jobs:-$(nproc)}"; }

# life_named: the schedules with a name; life_bugs: every planted mistake must be caught.
life_named() { "$life_lab" named; }
life_bugs() { "$life_lab" bugs "$@"; }
