# The sender's tests under ThreadSanitizer and AddressSanitizer, for deploy/soak. Sourced from the top of the repository.
# shellcheck shell=bash

# sanitized thread|address: builds the tests of what sends and of what it stands on, runs them, and prints one line
# of JSON; with status 1 when there is a report, a test fails, or the tests did not run to their end.
sanitized() {
    local kind=$1 folder program log report status=0 tests ends reports failed skipped=()
    local targets=(Tokens Postgres HTTPClient Reactor HTTP2 LACoordinator)
    # ThreadSanitizer reads a wild address for an inout value of no size, which is what these tests' random generator is.
    [ "$kind" != thread ] || skipped=(--skip '^ReactorTests\.BackoffTests')
    # Beside the builds of deploy/test, which would be made anew otherwise.
    folder=.build-$kind
    log=$folder/tests.log
    report=$PWD/$folder/report
    echo "Building with ${kind^}Sanitizer in $folder: some minutes when it is new …" >&2
    local -x SIGHTSCREEN_TARGETS
    SIGHTSCREEN_TARGETS=$(printf '%sTests,' "${targets[@]}")
    swift build --build-tests --sanitize="$kind" --scratch-path "$folder" >&2 || return
    program=$(swift build --sanitize="$kind" --scratch-path "$folder" --show-bin-path)/sightscreenPackageTests.xctest
    rm -f "$report".* "$log"
    for target in "${targets[@]}"; do
        echo "${target}Tests …" >&2
        # Leaks are not looked for: Swift's runtime keeps what it needs to the end. The address sanitizer's own stack for
        # locals that outlive their function is not for code that changes threads.
        # Four at a time: all of them at once starve each other.
        TEST_PATIENCE=10 TSAN_OPTIONS="log_path=$report exitcode=66 suppressions=$PWD/Tests/Harness/thread-sanitizer.suppressions" \
            ASAN_OPTIONS="log_path=$report exitcode=66 detect_leaks=0 detect_stack_use_after_return=0" \
            "$program" --testing-library swift-testing --experimental-maximum-parallelization-width 4 \
            --filter "^${target}Tests\\." "${skipped[@]}" >>"$log" 2>&1 || true
    done
    tests=$(sed -n 's/.*Test run with \([0-9]*\) tests.*/\1/p' "$log" | awk '{ sum += $1 } END { print sum + 0 }')
    reports=$(cat "$report".* 2>/dev/null | grep -c '^\(WARNING\|.*ERROR\): \(Thread\|Address\)Sanitizer')
    failed=$(grep -ac 'Test .* failed after .* issue' "$log" || true)
    ends=$(grep -ac 'Test run with [0-9]* tests.* after' "$log" || true)
    [ "$ends" = "${#targets[@]}" ] && [ "$failed" = 0 ] && [ "$reports" = 0 ] || status=1
    [ $status = 0 ] || echo "The tests' output is $log, the reports are $report.*" >&2
    echo "{\"goal\":\"$kind\",\"tests\":$tests,\"failed\":$failed,\"reports\":$reports,\"met\":$([ $status = 0 ] && echo true || echo false)}"
    return $status
}
