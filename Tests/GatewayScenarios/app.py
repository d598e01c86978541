#!/usr/bin/env python3
"""The app's own library against the gateway and moto: accounts, tokens, launches. The tests are Swift's (AppHarnessTests).

Ends with one line of JSON; its status is 0 when everything was as it should be.
"""

import os
import re
import subprocess
import sys

import checks
from scenario import Scenario, options

TESTS = "sightscreenPackageTests.xctest"
SUITE = r"^EndToEndTests\.AppHarnessTests"


def main():
    arguments = options(__doc__).parse_args()
    check = checks.Check("app")
    with Scenario(arguments.binaries) as scenario:
        tests = subprocess.run(
            [scenario.binaries / TESTS, "--testing-library", "swift-testing", "--filter", SUITE],
            env=os.environ | scenario.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
        )
        sys.stderr.write(tests.stdout)
        told = re.search(r"Test run with (\d+) tests? .*passed", tests.stdout)
        check.expect("the tests pass", tests.returncode == 0, tests.returncode)
        # A suite that was skipped passes, too.
        check.expect("all of them ran", told is not None and int(told[1]) > 0 and "skipped" not in tests.stdout)
        check.expect("no token in the gateway's log", not any(token in scenario.log() for token in scenario.tokens.values()))
        check.expect("no password in moto's log", scenario.environment["LAB_PASSWORD"] not in scenario.log("moto"))
    return check.line(expectations=check.count, failed=len(check.failures), tests=int(told[1]) if told else 0)


checks.run(main)
