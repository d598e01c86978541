#!/usr/bin/env python3
"""No parameter of any call reaches PostgreSQL as anything but a value.

Every path, query and body parameter of the served OpenAPI document, with the token of a user (of an administrator where
one is asked for), gets classic payloads: boolean, error, time, UNION, stacked, comments, other quotes. With `--sqlmap
PROGRAM` that program tries its own on each of them, after it has found the hole of a server that has one.

PostgreSQL logs each statement that it is asked to run, without the values: none may show a payload, and none may fail by
its form. No answer may be a 5xx or come late; tables, functions and roles, and other users' rows, must be as before.

Ends with one line of JSON; exit status 0 only when all of it is so.
"""

import collections
import concurrent.futures
import contextlib
import http.server
import json
import re
import secrets
import shutil
import subprocess
import threading
import time
import urllib.parse

import checks
from harness import HarnessError, say, wait_until
from scenario import LATER_MATCH, LIVE_MATCH, Scenario, options

METHODS = ("get", "put", "post", "patch", "delete")
# In each payload: what PostgreSQL's log is searched for.
MARK = "zq7injected"
PAYLOADS = [
    f"' OR '{MARK}'='{MARK}", f"' OR 1=1 -- {MARK}", f"\" OR \"{MARK}\"=\"{MARK}", f"') OR ('{MARK}'='{MARK}",
    f" OR 1=1 -- {MARK}", f") OR (1=1) /*{MARK}*/", f"' AND 1=CAST('{MARK}' AS int) --", f"'||CAST(('{MARK}') AS numeric)||'",
    f" AND 1=CAST(chr(126)||'{MARK}' AS int)", f"'||(SELECT '{MARK}' FROM pg_sleep(5))||'",
    f"'; SELECT pg_sleep(5); -- {MARK}", f"; SELECT pg_sleep(5) /*{MARK}*/", f" AND 1=(SELECT 1 FROM pg_sleep(5)) -- {MARK}",
    f"' UNION SELECT NULL,'{MARK}' --", f"' UNION ALL SELECT '{MARK}',NULL,NULL,NULL FROM devices --",
    f" UNION SELECT 1 /*{MARK}*/", f"'; DROP TABLE devices; -- {MARK}", f"'; CREATE TABLE {MARK} (a int); --",
    f"; CREATE ROLE {MARK} SUPERUSER; --", f"'; COPY devices TO PROGRAM 'echo {MARK}'; --", f"$${MARK}$$",
    f"\\'; SELECT '{MARK}' --",
    f"E'\\\\'{MARK}", f"%27 OR %27{MARK}", f"’ OR ’{MARK}", f"1::text||'{MARK}'", f"$1{MARK}", f"{{{MARK}}}", f"1,{MARK}",
    f"' ORDER BY 99 -- {MARK}", f"' LIMIT 0 /*{MARK}", f"{MARK}'", f"{MARK}\"", f"{MARK}\\", f"{MARK}--", f"{MARK};",
]
# What sqlmap writes for PostgreSQL and this gateway never does.
# Statements of ours have a space after NULL and its comma; sqlmap's have none.
SQLMAPS_WORDS = re.compile(
    r"PG_SLEEP|GENERATE_SERIES\(|CHR\(\d|UNION ALL SELECT (?:NULL(?:,\S|--)|\d)|\|\|\(SELECT|CAST\(\(|DUMMY", re.IGNORECASE)
BROKEN = re.compile(
    r"ERROR: +(syntax error|unterminated|invalid input syntax|(operator|column|relation|function|type) .*does not exist)")
LATE = 4.0

STRUCTURE = """
    SELECT 'column', attrelid::regclass::text, attname, format_type(atttypid, atttypmod) FROM pg_attribute
        JOIN pg_class c ON c.oid = attrelid WHERE relnamespace = 'public'::regnamespace AND attnum > 0
    UNION ALL SELECT 'relation', relname, relkind::text, relowner::regrole::text FROM pg_class
        WHERE relnamespace = 'public'::regnamespace
    UNION ALL SELECT 'function', oid::regprocedure::text, md5(prosrc), proowner::regrole::text FROM pg_proc
        WHERE pronamespace = 'public'::regnamespace
    UNION ALL SELECT 'role', rolname, rolsuper::text, rolcanlogin::text FROM pg_roles
    UNION ALL SELECT 'database', datname, '', '' FROM pg_database
    UNION ALL SELECT 'schema', nspname, '', '' FROM pg_namespace WHERE nspname !~ '^pg_(toast_)?temp'
    UNION ALL SELECT 'trigger', tgname, tgrelid::regclass::text, '' FROM pg_trigger
    UNION ALL SELECT 'setting', name, setting, '' FROM pg_settings WHERE source = 'database'
    ORDER BY 1, 2, 3, 4
"""
# Of a claim to a push token.
NONCE = "78" * 16
ALICES = """
    SELECT md5(coalesce((SELECT string_agg(d::text, '|' ORDER BY device_id) FROM devices d WHERE user_id = '{0}'), '')),
        md5(coalesce((SELECT string_agg(f::text, '|' ORDER BY match_id) FROM match_follows f WHERE user_id = '{0}'), '')),
        (SELECT count(*) FROM fixtures)
"""


class Form:
    """One call of the document with a good value for each of its parameters."""

    def __init__(self, scenario, document, method, path, item):
        self.method = method.upper()
        self.path = path
        self.values = {}
        # Who takes away is another than who changes what is there.
        takes_away = self.method == "DELETE" or path.endswith(("/unfollow", "/activity-dismissed"))
        user = "carol" if len(item["security"]) > 1 or takes_away else "bob"
        self.credentials = scenario.tokens[user] if item["security"] else None
        for parameter in item.get("parameters", []):
            if parameter["in"] in ("path", "query"):
                self.values[parameter["in"], parameter["name"]] = value(parameter["name"], path)
        content = item.get("requestBody", {}).get("content", {}).get("application/json")
        self.has_body = content is not None
        if content:
            schema = document["components"]["schemas"][content["schema"]["$ref"].rsplit("/", 1)[1]]
            for name, property in schema["properties"].items():
                # Two names of one thing: the second only in the place of the first.
                if name != "token" or "activityToken" not in schema["properties"]:
                    self.values["body", name] = value(name, path, property)
            if "token" in schema["properties"]:
                self.values["body", "token"] = None

    @property
    def name(self):
        return f"{self.method} {self.path}"

    def parts(self, changed=None, to=None, quote=True):
        """The target and the body, with one parameter changed."""
        values = dict(self.values)
        if changed is not None:
            values[changed] = to
            if changed == ("body", "token"):
                del values["body", "activityToken"]
        path = self.path
        for (place, name), text in values.items():
            if place == "path":
                path = path.replace("{" + name + "}", urllib.parse.quote(str(text), safe="") if quote else str(text))
        # Not both of them: a day, or from and to.
        query = {n: t for (place, n), t in values.items() if place == "query" and (n != "date" or changed == ("query", n))
                 and not (n in ("from", "to") and changed == ("query", "date"))}
        if query:
            path += "?" + (urllib.parse.urlencode(query) if quote else "&".join(f"{n}={t}" for n, t in query.items()))
        body = {n: t for (place, n), t in values.items() if place == "body" and (t is not None or changed == (place, n))}
        return path, body if self.has_body else None

    def send(self, scenario, changed=None, to=None):
        path, body = self.parts(changed, to)
        return scenario.request(self.method, path, body, token=self.credentials)


def value(name, path, schema=None):
    known = {
        "id": str(LIVE_MATCH), "matchId": str(LIVE_MATCH), "deviceToken": "ab" * 32, "deviceId": "phone-b", "platform": "ios",
        "activityToken": "cd" * 32, "token": "cd" * 32, "pushToStartToken": "ef" * 32, "activityId": "activity-b",
        "startId": "start-b", "teamId": "1", "alerts": "key", "hold": "none", "environment": "sandbox", "osVersion": "18.1",
        "appVersion": "2.4.0", "version": "2.4.0", "minAppVersion": "1.0.0", "storeUrl": "https://apps.apple.com",
        "maintenanceMessage": "Back at 10.", "league": "10", "status": "live", "limit": "50", "before": "1304076",
        "cursor": "1795305600-1304076", "date": "2026-03-01", "from": "2026-03-01", "to": "2026-03-02",
        "nonce": NONCE, "channelId": "bGl2ZS1jaGFubmVs", "bootedAt": 1795305600, "activities": [{"matchId": str(LIVE_MATCH), "activityId": "activity-b"}],
    }
    if name in known:
        return known[name]
    types = (schema or {}).get("type", [])
    if "boolean" in types:
        return False
    raise HarnessError(f"there is no good value for {name} of {path}: {schema}")


def forms(scenario):
    document = scenario.request("GET", "/openapi.json").json
    for path, item in sorted(document["paths"].items()):
        for method in METHODS:
            # Who deletes the account is refused from then on; it takes no parameter.
            if method in item and (method, path) != ("delete", "/user"):
                yield Form(scenario, document, method, path, item[method])


def settle(scenario):
    """What the calls are about: a phone, a follow, and a claim to the phone's token that its owner refuses with the nonce."""
    device_token = value("deviceToken", "/devices")
    scenario.request("POST", "/devices", {"deviceId": "phone-b", "platform": "ios", "deviceToken": device_token},
                     token=scenario.tokens["bob"])
    for path, body in (("/devices", {"deviceId": "phone-b", "platform": "ios"}),
                       ("/user/follow/match", {"matchId": str(LIVE_MATCH)})):
        for user in ("bob", "carol"):
            scenario.request("POST", path, body, token=scenario.tokens[user])
    claimant = scenario.pools.users["carol"].sub
    scenario.sql(f"""
        INSERT INTO phone_claims (token_key, user_id, device_id, challenge, sent_at)
        VALUES (token_key('{device_token}'), '{claimant}', 'phone-c', '{NONCE}', clock_timestamp())
        ON CONFLICT (token_key, user_id) DO UPDATE
        SET challenge = excluded.challenge, claimed_at = excluded.claimed_at, sent_at = excluded.sent_at, refused_at = NULL""")


def payloads_for(form, changed):
    """Alone and behind the good value; an array's goes into its first element."""
    good = form.values[changed] or "cd" * 32
    for payload in PAYLOADS:
        if isinstance(good, list):
            for name in good[0]:
                yield [good[0] | {name: f"{good[0][name]}{payload}"}]
        else:
            yield payload
            yield f"{good}{payload}"


class Log:
    """What PostgreSQL writes from now on."""

    def __init__(self, scenario):
        self.scenario = scenario
        self.from_byte = len(scenario.log("postgres"))

    @property
    def text(self):
        return self.scenario.log("postgres")[self.from_byte:]


def log_statements(scenario):
    """Every statement, and no value of any."""
    scenario.sql("ALTER SYSTEM SET log_statement = 'all'; ALTER SYSTEM SET log_parameter_max_length = 0; SELECT pg_reload_conf();")
    mark = "control" + secrets.token_hex(4)

    def shows():
        scenario.sql(f"SELECT '{mark}'")
        return mark in scenario.log("postgres")

    wait_until("PostgreSQL logs statements", shows)


class Hole(http.server.BaseHTTPRequestHandler):
    """What the gateway must not be: a server that writes what it is sent into its SQL."""

    scenario = None

    def do_GET(self):
        name = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query).get("id", [""])[0]
        done = self.scenario.run_sql(f"SELECT match_id, venue FROM fixtures WHERE match_id::text = '{name}'")
        body = (done.stdout + done.stderr).encode()
        self.send_response(500 if done.returncode else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def server_with_a_hole(scenario):
    handler = type("Handler", (Hole,), {"scenario": scenario})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


class SQLMap:
    def __init__(self, program, scenario, level):
        self.program = program
        self.level = level
        self.scenario = scenario

    def run(self, name, url, method="GET", body=None, token=None):
        """Whether it found something in the parameters that are marked with an asterisk, None when it did not get so far;
        and its words."""
        folder = self.scenario.folder / "sqlmap" / re.sub(r"\W+", "-", name)
        command = [
            self.program, "--batch", "--flush-session", "--level", str(self.level), "--risk", str(min(self.level, 3)),
            "--dbms", "PostgreSQL", "--skip-waf", "--disable-coloring", "--time-sec", "2", "--timeout", "20",
            "--retries", "1", "--output-dir", str(folder),
            # What a refused payload gets is an answer like another.
            "--ignore-code", "400,404,409,500", "-u", url, "--method", method,
        ]
        if token:
            command += ["--headers", f"Authorization: Bearer {token}\nContent-Type: application/json"]
        if body is not None:
            command += ["--data", json.dumps(body)]
        folder.mkdir(parents=True)
        done = subprocess.run(command, cwd=folder, env={"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(folder)},
                              stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if "identified the following injection point" in done.stdout or "is vulnerable" in done.stdout:
            return True, done.stdout
        return False if "do not appear to be injectable" in done.stdout else None, done.stdout

    def form(self, form):
        """All parameters of a call at once; an array is left to our own payloads."""
        marked = Form.__new__(Form)
        marked.__dict__ = dict(form.__dict__)
        marked.values = {
            key: f"{good}*" if isinstance(good, str) else good for key, good in form.values.items()
        }
        path, body = marked.parts(quote=False)
        return self.run(form.name, self.scenario.gateway.url + path, form.method, body, form.credentials)


def hand_made(scenario, check, all_forms):
    """The payloads of this file; returns how many were sent."""
    sent, slowest = 0, 0.0
    for form in all_forms:
        settle(scenario)
        for changed in form.values:
            for payload in payloads_for(form, changed):
                begun = time.monotonic()
                answer = form.send(scenario, changed, payload)
                slowest = max(slowest, time.monotonic() - begun)
                sent += 1
                if answer.status >= 500 or MARK.encode() in answer.body and answer.status >= 400:
                    check.expect(f"{form.name} {changed} {payload!r}: a refusal that repeats nothing", False,
                                 f"{answer.status} {answer.body[:200]!r}")
    check.expect("no answer waited for a payload", slowest < LATE, slowest)
    return sent


def with_sqlmap(scenario, check, program, level, all_forms):
    """Returns how many calls and parameters sqlmap tried and with how many requests, and what PostgreSQL logged."""
    sqlmap = SQLMap(program, scenario, level)
    with server_with_a_hole(scenario) as hole:
        found, words = sqlmap.run("hole", f"{hole}/?id={LIVE_MATCH}*")
    check.expect("sqlmap finds a hole where there is one", found is True, words[-2000:])
    targets = [form for form in all_forms if any(isinstance(good, str) for good in form.values.values())]
    log, before = Log(scenario), requests(scenario)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for form, (found, words) in zip(targets, pool.map(sqlmap.form, targets)):
            check.expect(f"{form.name}: sqlmap finds nothing", found is False, words[-3000:])
            say(f"sqlmap: {form.name} done")
    check.expect("no statement has words of sqlmap's", not SQLMAPS_WORDS.search(log.text), SQLMAPS_WORDS.findall(log.text)[:5])
    count = sum(isinstance(good, str) for form in targets for good in form.values.values())
    made = sum(requests(scenario).values()) - sum(before.values())
    return {"sqlmapCalls": len(targets), "sqlmapParameters": count, "sqlmapRequests": made}, log.text


def requests(scenario):
    """How many the gateway has answered, by status."""
    counts = collections.Counter()
    for name, labels, value in scenario.gateway.scrape():
        if name == "sightscreen_http_requests_total":
            counts[re.search(r'status="(\d+)"', labels)[1]] += int(value)
    return counts


def main():
    parser = options(__doc__)
    parser.add_argument("--sqlmap", metavar="PROGRAM", help="sqlmap 1.7 or newer, to try its own payloads as well")
    parser.add_argument("--level", type=int, default=1, choices=range(1, 6),
                        help="of sqlmap's payloads, and up to 3 of their risk")
    arguments = parser.parse_args()
    if arguments.sqlmap and not shutil.which(arguments.sqlmap):
        raise HarnessError(f"there is no program {arguments.sqlmap}")
    check = checks.Check("injection")
    figures, begun = {}, time.monotonic()
    with Scenario(arguments.binaries, {"RATE_LIMIT_FACTOR": "0"}) as scenario:
        # Until it was ready it answered 503.
        before = requests(scenario)
        alice = scenario.pools.users["alice"].sub
        for path, body in (("/devices", {"deviceId": "phone-a", "platform": "ios", "deviceToken": "12" * 32}),
                           ("/user/follow/match", {"matchId": str(LATER_MATCH)})):
            scenario.request("POST", path, body, token=scenario.tokens["alice"])
        all_forms = list(forms(scenario))
        settle(scenario)
        for form in all_forms:
            answer = form.send(scenario)
            check.expect(f"{form.name}: its values are good", answer.status < 300, f"{answer.status} {answer.body[:200]!r}")
        structure, rows = scenario.sql(STRUCTURE), scenario.sql(ALICES.format(alice))
        log_statements(scenario)
        log = Log(scenario)
        sent = hand_made(scenario, check, all_forms)
        text = log.text
        check.expect("statements were logged", "match_follows" in text and "$1" in text)
        shown = [line for line in text.splitlines() if MARK in line]
        check.expect("no statement has a payload", not shown, shown[:3])
        if arguments.sqlmap:
            figures, more = with_sqlmap(scenario, check, arguments.sqlmap, arguments.level, all_forms)
            text += more
        broken = [line for line in text.splitlines() if BROKEN.search(line)]
        check.expect("no statement was broken", not broken, broken[:3])
        check.expect("tables, functions and roles are as before", scenario.sql(STRUCTURE) == structure)
        check.expect("another user's rows are as before", scenario.sql(ALICES.format(alice)) == rows)
        failed = {status: count for status, count in (requests(scenario) - before).items() if status >= "500"}
        check.expect("no answer was a 5xx", not failed, failed)
        check.expect("the gateway lives", scenario.gateway.is_running and scenario.is_ready())
        check.expect("no bug was logged", "A request failed" not in scenario.log())
    return check.line(
        calls=len(all_forms), parameters=sum(len(form.values) for form in all_forms), requests=sent, **figures,
        seconds=round(time.monotonic() - begun),
    )


checks.run(main)
