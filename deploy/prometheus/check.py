#!/usr/bin/env python3
"""Tries every alert of rules.yml on made-up series, and reads every query of the dashboard: deploy/prometheus/check.py

Each alert has a case in which it fires and one in which it does not (cases.py). Needs promtool, of Debian's package prometheus;
some ten seconds. PROMTOOL names one that is not in PATH."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from cases import CASES  # noqa: E402


def alerts(path):
    """The alerts of a file that is written as rules.yml is: each as Prometheus reads it."""
    found, texts, anchor = [], {}, None
    for line in open(path, encoding="utf-8"):
        if match := re.match(r"      - alert: (\w+)$", line):
            found.append({"alert": match[1], "expr": None, "labels": {}, "annotations": {}, "for": None})
        elif match := re.match(r"        expr: (.*)$", line):
            found[-1]["expr"] = match[1]
        elif match := re.match(r"        labels: \{ (.*) \}$", line):
            found[-1]["labels"] = dict(part.split(": ") for part in match[1].split(", "))
        elif match := re.match(r"        for: (\w+)$", line):
            found[-1]["for"] = match[1]
        elif match := re.match(r"        annotations: \*(\w+)$", line):
            found[-1]["annotations"] = texts[match[1]]
        elif match := re.match(r"        annotations:(?: &(\w+))?$", line):
            if match[1]:
                texts[match[1]] = found[-1]["annotations"]
        elif match := re.match(r"          (\w+): '(.*)'$", line):
            found[-1]["annotations"][match[1]] = match[2].replace("''", "'")
    return found


def expected(alert, labels):
    """As Prometheus shows it: labels put into the texts."""
    all_labels = {**labels, **alert["labels"]}

    def text(value):
        return re.sub(r"\{\{ \$labels\.(\w+) \}\}", lambda match: all_labels[match[1]], value)

    return {"exp_labels": all_labels, "exp_annotations": {key: text(value) for key, value in alert["annotations"].items()}}


def test(alert, case, fires):
    series = case.fires if fires else case.quiet
    wanted = [expected(alert, labels) for labels in case.labels] if fires else []
    return {
        "interval": "5s",
        "name": f"{title(alert)} {'fires' if fires else 'is quiet'}",
        "input_series": [{"series": name, "values": values} for name, values in series.items()],
        "alert_rule_test": [{"eval_time": case.at, "alertname": case.alert, "exp_alerts": wanted}],
    }


def title(alert):
    return f"{alert['alert']} {alert['labels'].get('service', '')}".strip()


def tries(alert, case):
    return case.alert == alert["alert"] and case.service == alert["labels"].get("service")


def write(folder, name, value):
    """JSON is YAML, too."""
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(value, file)
    return path


def queries(value):
    """Those of a dashboard, as rules that record them."""
    if isinstance(value, dict):
        if "expr" in value:
            yield value["expr"].replace("$__rate_interval", "1m")
        for inner in value.values():
            yield from queries(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from queries(inner)


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        print(done.stdout + done.stderr, file=sys.stderr)
    return done.returncode == 0


ALERTS = alerts(os.path.join(HERE, "rules.yml"))


def main():
    promtool = os.environ.get("PROMTOOL") or shutil.which("promtool")
    if not promtool:
        raise SystemExit("promtool is missing: apt-get install prometheus, or PROMTOOL=/path/to/it")
    good = run(promtool, "check", "config", os.path.join(HERE, "prometheus.yml"))
    for case in CASES:
        if not any(tries(alert, case) for alert in ALERTS):
            print(f"{case.alert}: rules.yml has no such alert", file=sys.stderr)
            good = False
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for number, alert in enumerate(ALERTS):
            complete = alert["labels"].get("severity") in ("page", "ticket") and set(alert["annotations"]) == {"summary", "action"}
            if not complete or not alert["for"] or not alert["expr"]:
                print(f"{title(alert)}: expr, for, severity (page or ticket), summary and action are wanted", file=sys.stderr)
                good = False
            cases = [case for case in CASES if tries(alert, case)]
            if not cases:
                print(f"{title(alert)}: cases.py does not try it", file=sys.stderr)
                good = False
            # By itself: with all the others beside it, each test would take a second.
            rules = write(folder, f"rule{number}.json", {"groups": [{"name": "one", "rules": [alert]}]})
            tests = [test(alert, case, fires) for case in cases for fires in (True, False)]
            files.append(write(folder, f"test{number}.json", {"rule_files": [rules], "evaluation_interval": "5s", "tests": tests}))
        good = run(promtool, "test", "rules", *files) and good
        with open(os.path.join(HERE, "../grafana/sightscreen.json"), encoding="utf-8") as file:
            records = [{"record": f"query{number}", "expr": query} for number, query in enumerate(queries(json.load(file)))]
        good = run(promtool, "check", "rules", write(folder, "queries.json", {"groups": [{"name": "all", "rules": records}]})) and good
    print(f"alerts: {len(ALERTS)}, each tried in two ways, and {len(records)} queries read: {'all as they should be' if good else 'not as they should be'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
