#!/usr/bin/env python3
"""Whether the dashboard, the alerts and the pages name only metrics that the services have, and each of these has a HELP:
Tests/DeployTests/metrics.py [--list]

Reads what Services/ and Shared/ register, with its kind, how they describe it, and what deploy/grafana, deploy/prometheus and deploy/docs
ask for. A histogram is asked for by _bucket, _sum or _count, everything else by its name. --list prints what there is."""

import glob
import json
import os
import re
import sys

TOP = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
KINDS = {
    "Counter": "counter", "FloatingPointCounter": "counter", "Gauge": "gauge", "Meter": "gauge",
    "Recorder": "histogram", "Timer": "histogram",
}
# Not ours: of Prometheus itself, and of the proxy (haproxy 2.6, as Debian 12 has it).
OTHERS = {
    "up": "gauge", "ALERTS": "gauge", "haproxy_backend_active_servers": "gauge", "haproxy_backend_http_responses_total": "counter",
    "haproxy_backend_current_queue": "gauge", "haproxy_backend_retry_warnings_total": "counter",
    "haproxy_backend_redispatch_warnings_total": "counter", "haproxy_backend_connection_errors_total": "counter",
    "haproxy_frontend_current_sessions": "gauge", "haproxy_frontend_http_requests_total": "counter",
    "haproxy_frontend_denied_connections_total": "counter",
}
WORDS = {
    "and", "or", "unless", "by", "without", "on", "ignoring", "group_left", "group_right", "bool", "offset", "inf", "nan",
}


def sources():
    for top in ("Services", "Shared"):
        for path in glob.glob(os.path.join(TOP, top, "**", "*.swift"), recursive=True):
            with open(path, encoding="utf-8") as file:
                yield os.path.basename(path), file.read()


def registered():
    """What the sources register, by name; a name that two kinds share has both."""
    found = {}
    for _, source in sources():
        for kind, name in re.findall(r"\b(\w+)\(\s*label:\s*\"(\w+)\"", source):
            if kind in KINDS:
                found.setdefault(name, set()).add(KINDS[kind])
        # What is written as text, without the registry.
        for name, kind in re.findall(r"# TYPE (\w+) (counter|gauge|histogram)", source):
            found.setdefault(name, set()).add(kind)
    return found


def described():
    """The names that the sources say a sentence about."""
    found = set()
    for file, source in sources():
        found.update(re.findall(r"\bdescribe\(\s*\"(\w+)\",\s*help:\s*\"\w", source))
        found.update(re.findall(r"# HELP (\w+) \w", source))
        if file == "MetricHelp.swift":
            found.update(re.findall(r"\"(\w+)\":\s*\"\w", source))
    return found


def names_in(expression):
    """The metrics that a PromQL expression asks for."""
    text = re.sub(r"\"[^\"]*\"|'[^']*'", "", expression)
    text = re.sub(r"\{[^}]*\}|\[[^\]]*\]", " ", text)
    text = re.sub(r"\b(by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)", " ", text)
    text = re.sub(r"\$\w+", " ", text)
    found = re.findall(r"(?<![\w.])([a-zA-Z_:][\w:]*)\b(?!\s*\()", text)
    return {name for name in found if name.lower() not in WORDS}


def selectors_in(expression):
    """The series that a PromQL expression asks for, as it selects them; a variable of the dashboard stands for all."""
    names = names_in(expression)
    found = re.finditer(r"\"[^\"]*\"|(?<![\w.])([a-zA-Z_:][\w:]*)\b(\{[^}]*\})?", expression)
    return {re.sub(r"=~?\"\$\w+\"", "=~\".*\"", each[0]) for each in found if each[1] in names}


def asked_for(of=names_in):
    """Pairs of a place and a metric, or what `of` finds in an expression."""
    def expressions(value, place):
        if isinstance(value, dict):
            if value.get("type") == "datasource":
                return
            for key, inner in value.items():
                if key == "expr" or (key in ("query", "definition") and isinstance(inner, str)):
                    inner = re.sub(r"^label_values\((.*),\s*\w+\)$", r"\1", inner)
                    yield from ((place, name) for name in of(inner))
                else:
                    title = f"{place}: {value['title']}" if isinstance(value.get("title"), str) and "targets" in value else place
                    yield from expressions(inner, title)
        elif isinstance(value, list):
            for inner in value:
                yield from expressions(inner, place)

    for path in sorted(glob.glob(os.path.join(TOP, "deploy/grafana/*.json"))):
        with open(path, encoding="utf-8") as file:
            yield from expressions(json.load(file), os.path.relpath(path, TOP))
    path = os.path.join(TOP, "deploy/prometheus/rules.yml")
    with open(path, encoding="utf-8") as file:
        alert = ""
        for line in file:
            if match := re.match(r"\s+- alert: (\w+)", line):
                alert = match[1]
            elif match := re.match(r"\s+expr: (.*)", line):
                yield from ((f"deploy/prometheus/rules.yml: {alert}", name) for name in of(match[1]))
            elif match := re.match(r"\s+(?:summary|action): (.*)", line):
                yield from ((f"deploy/prometheus/rules.yml: {alert}", name) for name in re.findall(r"\bsightscreen_\w+", match[1]))
    for path in sorted(glob.glob(os.path.join(TOP, "deploy/docs/*.md"))):
        with open(path, encoding="utf-8") as file:
            for name in re.findall(r"\bsightscreen_\w+", file.read()):
                yield os.path.relpath(path, TOP), name


def untold_outcomes():
    """The values of `outcome` of sightscreen_pushes_total, as PushResult.swift has them, that have no line in the page, and the
    other way round."""
    with open(os.path.join(TOP, "Shared/FanOut/Pool/PushResult.swift"), encoding="utf-8") as file:
        cases = re.search(r"enum PushOutcome.*?{(.*?)init", file.read(), re.S)[1]
    named = {each[1] or each[0] for each in re.findall(r"(?:case|,) (\w+)(?: = \"(\w+)\")?", cases)}
    with open(os.path.join(TOP, "deploy/docs/fanout.md"), encoding="utf-8") as file:
        table = re.search(r"\n\| outcome \|.*?\n\n", file.read(), re.S)
    return sorted(named ^ set(re.findall(r"^\| `([a-z_]+)` \|", table[0] if table else "", re.M)))


def is_known(name, known, is_expression):
    if name in known:
        # A page names the histogram; a query asks for its parts.
        return not is_expression or known[name] != {"histogram"}
    base = re.sub(r"_(bucket|sum|count)$", "", name)
    return base != name and "histogram" in known.get(base, ())


def main():
    ours = registered()
    known = {**ours, **{name: {kind} for name, kind in OTHERS.items()}}
    if "--list" in sys.argv:
        for name, kinds in sorted(known.items()):
            print(name, *sorted(kinds))
        return 0
    asked = list(asked_for())
    if len(asked) < 50:
        print(f"only {len(asked)} places name a metric: they are not read rightly", file=sys.stderr)
        return 1
    missing = {}
    for place, name in asked:
        if not is_known(name, known, not place.endswith(".md")):
            missing.setdefault(name, set()).add(place)
    for name, places in sorted(missing.items()):
        print(f"no code registers {name}, which is asked for by {'; '.join(sorted(places))}", file=sys.stderr)
    twice = [name for name, kinds in ours.items() if len(kinds) > 1]
    for name in twice:
        print(f"{name} is registered as {' and '.join(sorted(known[name]))}", file=sys.stderr)
    helped = described()
    silent = sorted(set(ours) - helped)
    for name in silent:
        print(f"{name} has no HELP: MetricHelp.swift, or where its service describes its own", file=sys.stderr)
    stale = sorted(helped - set(ours))
    for name in stale:
        print(f"no code registers {name}, which has a HELP", file=sys.stderr)
    untold = untold_outcomes()
    for outcome in untold:
        print(f"sightscreen_pushes_total: the outcome {outcome} is in PushResult.swift or in fanout.md, not in both", file=sys.stderr)
    print(
        f"metrics: {len(ours)} registered, {len(silent)} of these without HELP, {len({name for _, name in asked})} asked for, "
        f"{len(missing)} of these missing")
    return 1 if missing or twice or silent or stale or untold else 0


if __name__ == "__main__":
    sys.exit(main())
