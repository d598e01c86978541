#!/usr/bin/env python3
"""The gateway against its own OpenAPI document: schemathesis, a client that is not ours, makes requests that the document
allows and requests that it forbids, as a user, as an administrator and as a server, in all its phases. No answer may be a
5xx or undocumented, nothing may be accepted that the schema forbids, nothing refused that it allows.

Ends with one line of JSON; exit status 0 only when there was no failure and at least --cases cases were made.
"""

import json
import subprocess
import sys

import checks
from harness import HarnessError, say
from scenario import Scenario, options

# Too long is a refusal like any other.
CONFIGURATION = """
[checks.negative_data_rejection]
expected-statuses = [400, 401, 403, 404, 405, 406, 409, 413, 414, 415, 422, 429]
"""

ROLES = ("user", "administrator", "server", "deleted")
PHASES = ("examples", "coverage", "fuzzing", "stateful")


def run(scenario, role, header, examples, seed, filters):
    """One run of schemathesis; returns its report."""
    report = scenario.folder / f"contract-{role}.json"
    configuration = scenario.folder / "schemathesis.toml"
    configuration.write_text(CONFIGURATION)
    command = [
        sys.executable, "-m", "schemathesis.cli", "--config-file", str(configuration), "run", f"{scenario.gateway.url}/openapi.json", "--header", header,
        # No POST makes what another path names: it would take /devices/confirm for a phone.
        "--checks", "all", "--exclude-checks", "ensure_resource_availability",
        "--phases", ",".join(PHASES), "--mode", "all", "--max-examples", str(examples), "--seed", str(seed),
        "--continue-on-failure", "--suppress-health-check", "all", "--generation-database", "none", "--no-color",
        "--request-timeout", "20", "--report", "json", "--report-json-path", str(report), *filters,
    ]
    done = subprocess.run(command, cwd=scenario.folder, capture_output=True, text=True)
    if not report.exists():
        raise HarnessError(f"schemathesis did not work:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    result = json.loads(report.read_text())
    if result["failures"] or result["errors"]:
        say(done.stdout)
    return result


def main():
    parser = options(__doc__)
    parser.add_argument("--cases", type=int, default=2_000, help="the least number of cases")
    parser.add_argument("--examples", type=int, default=12, help="cases of the fuzzing phase for each call and role")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--roles", default=",".join(ROLES), help=f"some of {', '.join(ROLES)}")
    arguments = parser.parse_args()

    check = checks.Check("contract")
    total, by_role, phases = 0, {}, dict.fromkeys(PHASES, False)
    with Scenario(arguments.binaries, {"RATE_LIMIT_FACTOR": "0"}, replays=True) as scenario:
        # Who deletes the account is refused from then on: that call has a user and a run of its own.
        others, deletion = ["--exclude-operation-id", "deleteUser"], ["--include-operation-id", "deleteUser"]
        for role, header, filters in (
            ("user", f"Authorization: Bearer {scenario.tokens['alice']}", others),
            ("administrator", f"Authorization: Bearer {scenario.tokens['carol']}", others),
            ("server", f"X-API-Key: {scenario.api_key}", others),
            ("deleted", f"Authorization: Bearer {scenario.tokens['bob']}", deletion),
        ):
            if role not in arguments.roles.split(","):
                continue
            result = run(scenario, role, header, arguments.examples, arguments.seed, filters)
            cases = result["test_cases"]["generated"]
            say(f"{role}: {cases} cases in {result['running_time']:.0f} s")
            total += cases
            by_role[role] = cases
            for phase in PHASES:
                phases[phase] |= result["phases"][phase]["status"] != "skip"
            check.expect(f"{role}: no failure", not result["failures"], [f["title"] for f in result["failures"]])
            check.expect(f"{role}: no error", not result["errors"], result["errors"])
            check.expect(f"{role}: it ran to its end", result["complete"])
            check.expect(f"{role}: every call was tried", result["operations"]["errored"] == 0)
        check.expect("the gateway lives", scenario.gateway.is_running and scenario.is_ready())
        log = scenario.log()
        check.expect("no bug was logged", "A request failed" not in log)
        check.expect("no token or key in the log", not any(t in log for t in [*scenario.tokens.values(), scenario.api_key]))
    check.expect("every phase ran", all(phases.values()), phases)
    check.expect(f"{arguments.cases} cases", total >= arguments.cases, total)
    return check.line(cases=total, roles=by_role, phases=[name for name in PHASES if phases[name]])


if __name__ == "__main__":
    checks.run(main)
