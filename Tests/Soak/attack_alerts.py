"""What an operator is paged for: deploy/prometheus/rules.yml over what the services of a suite say of themselves."""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import threading
import time

from harness import SERVICES, HarnessError, now_ms

RULES = pathlib.Path(__file__).resolve().parents[2] / "deploy/prometheus/rules.yml"
# As in deploy/prometheus/prometheus.yml.
EVERY = 5
PAGE = re.compile(r"- alert: (\w+)\n(?:(?! *- alert:).*\n)*? *labels: \{ severity: page")
FIRING = re.compile(r"alertname: (\w+), time:")


class Pages:
    """Scrapes all services from its beginning to its end."""

    def __init__(self, suite, is_wanted=True):
        self.suite = suite
        self.is_wanted = is_wanted
        self.scrapes = []
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)

    def __enter__(self):
        if self.is_wanted:
            self.thread.start()
        return self

    def __exit__(self, *_):
        self.is_over.set()
        if self.is_wanted:
            self.thread.join(10)

    def run(self):
        next_at = time.monotonic()
        while True:
            values = {}
            for service in SERVICES:
                found = self.suite.processes[service].scrape()
                where = f'job="{service}",instance="1"'
                values[f"up{{{where}}}"] = 1 if found else 0
                for name, labels, value in found:
                    values[f"{name}{{{','.join(filter(None, [where, (labels or '')[1:-1]]))}}}"] = value
            self.scrapes.append((now_ms(), values))
            next_at += EVERY
            if self.is_over.wait(max(0.0, next_at - time.monotonic())):
                return

    def fired(self, at_ms):
        """Pages that are open at that time, but for those that were open at the beginning, as for what the suite has not."""
        seen = [values for at, values in self.scrapes if at <= at_ms]
        return sorted(self.ask(seen) - self.ask([seen[0]] * len(seen)))

    def ask(self, scrapes):
        names = set(PAGE.findall(RULES.read_text(encoding="utf-8")))
        series = sorted({name for values in scrapes for name in values})
        test = {
            "rule_files": [str(RULES)], "evaluation_interval": f"{EVERY}s",
            "tests": [{
                "interval": f"{EVERY}s",
                "input_series": [{"series": name, "values": " ".join(
                    f"{values[name]:.17g}" if name in values else "_" for values in scrapes)} for name in series],
                "alert_rule_test": [{"eval_time": f"{EVERY * (len(scrapes) - 1)}s", "alertname": name} for name in sorted(names)],
            }]}
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(test, file)
            file.flush()
            done = subprocess.run([os.environ["PROMTOOL"], "test", "rules", file.name], capture_output=True, text=True)
        output = done.stdout + done.stderr
        found = set(FIRING.findall(output))
        if done.returncode != 0 and not found:
            raise HarnessError(f"promtool: {output[-1000:]}")
        return found
