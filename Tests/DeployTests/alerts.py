#!/usr/bin/python3
"""Tries the alerts of deploy/prometheus on made-up series, and reads every query of the dashboard: Tests/DeployTests/alerts.py

promtool runs alerts.test.yml, which must try each alert in two ways: it fires, and it does not. The names in alertmanager.yml are
those of alerts, and what a test calls one page is one. Needs promtool, of Debian's package
prometheus, and python3-yaml; some ten seconds. PROMTOOL names one that is not in PATH."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import yaml

HERE = pathlib.Path(__file__).resolve().parent
DEPLOYED = HERE.parent.parent / "deploy"
# Always fires.
WATCHDOG = "Watchdog"


def read(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def title(alert, labels):
    """One has a rule for each service."""
    return f"{alert} {labels['service']}" if alert == "SightscreenServiceGone" else alert


def tried(tests):
    """The alerts of which a test sees that they fire, and those of which one sees that they do not."""
    fires, quiet = set(), set()
    for each in (each for test in tests for each in test["alert_rule_test"]):
        fires |= {title(each["alertname"], expected["exp_labels"]) for expected in each["exp_alerts"]}
        if not each["exp_alerts"]:
            quiet.add(each["alertname"])
    return fires, quiet


def problems(alerts, tests):
    fires, quiet = tried(tests)
    for alert in alerts:
        name, labels = title(alert["alert"], alert["labels"]), alert["labels"]
        if name == WATCHDOG:
            continue
        if labels.get("severity") not in ("page", "ticket") or set(alert["annotations"]) != {"summary", "action"} \
                or not alert.get("for") or not alert["expr"]:
            yield f"{name}: expr, for, severity (page or ticket), summary and action are wanted"
        if name not in fires or alert["alert"] not in quiet:
            yield f"{name}: alerts.test.yml does not try it in both ways"
    names = {alert["alert"] for alert in alerts}
    for test in tests:
        for each in test["alert_rule_test"]:
            # promtool takes it for one that does not fire.
            if each["alertname"] not in names:
                yield f"{each['alertname']}: rules.yml has no such alert"


def matched(rule, side, label="alertname"):
    """The values that a rule of inhibition asks for; nothing else than = and =~ of alternatives is used."""
    for matcher in rule[f"{side}_matchers"]:
        name, values = re.fullmatch(r'(\w+)=~?"([^"]*)"', matcher).groups()
        if name == label:
            yield from values.split("|")


def inhibition_problems(alerts, tests, config):
    names = {alert["alert"] for alert in alerts}
    rules = config["inhibit_rules"]
    for rule in rules:
        for name in {*matched(rule, "source"), *matched(rule, "target")} - names:
            yield f"alertmanager.yml: rules.yml has no {name}"
    for test in tests:
        if not test["name"].startswith("one page"):
            continue
        firing = {each["alertname"] for each in test["alert_rule_test"] if each["exp_alerts"]}
        quiet = {name for rule in rules if firing & {*matched(rule, "source")} for name in matched(rule, "target")}
        if len(firing - quiet) != 1:
            yield f"alertmanager.yml: {test['name']}: {sorted(firing - quiet)}"


def queries(value):
    """Those of a dashboard."""
    if isinstance(value, dict):
        if "expr" in value:
            yield value["expr"].replace("$__rate_interval", "1m")
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            yield from queries(inner)


def main():
    promtool = os.environ.get("PROMTOOL") or shutil.which("promtool")
    if not promtool:
        raise SystemExit("promtool is missing: apt-get install prometheus, or PROMTOOL=/path/to/it")

    def run(*command):
        done = subprocess.run([promtool, *command], capture_output=True, text=True)
        return [] if done.returncode == 0 else [done.stdout + done.stderr]

    tests = read(HERE / "alerts.test.yml")["tests"]
    alerts = [rule for group in read(DEPLOYED / "prometheus/rules.yml")["groups"] for rule in group["rules"]]
    example = read(DEPLOYED / "prometheus/alertmanager.yml")
    found = [*problems(alerts, tests), *inhibition_problems(alerts, tests, example),
             *run("check", "config", DEPLOYED / "prometheus/prometheus.yml"),
             *run("test", "rules", HERE / "alerts.test.yml")]
    # promtool reads an expression as a rule's.
    records = [{"record": f"query{number}", "expr": query}
               for number, query in enumerate(queries(read(DEPLOYED / "grafana/sightscreen.json")))]
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump({"groups": [{"name": "all", "rules": records}]}, file)
        file.flush()
        found += run("check", "rules", file.name)
    for problem in found:
        print(problem, file=sys.stderr)
    print(f"alerts: {len(alerts)}, each tried in two ways, and {len(records)} queries read: "
          f"{'not ' if found else ''}all as they should be")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
