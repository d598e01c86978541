"""A suite of real processes: `sightscreen up --suite` has its ports, its database and its restarts. This module asks
for it, gives its processes names, and ends it with the test, however that ends."""

import base64
import contextlib
import csv
import functools
import http.client
import io
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request
import uuid

# What a process gets of our environment: nothing of it.
ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
TAPES = pathlib.Path(__file__).resolve().parent.parent / "Fixtures" / "matches"
CLIENT = "sightscreen-demo"
SERVICES = ("event-bus", "la-coordinator", "orchestrator", "score-poller", "api-gateway")
STAND_INS = ("dev-issuer", "apns-simulator", "mock-sportmonks")
METRIC = re.compile(r"^(\w+)(\{[^}]*\})? (\S+)$", re.MULTILINE)
TICKS = os.sysconf("SC_CLK_TCK")


class HarnessError(Exception):
    """The harness could not do what it was asked for: nothing was found out about the product."""


class EndedTooSoon(Exception):
    """A process is gone that should have gone on."""


def say(text):
    print(text, file=sys.stderr, flush=True)


def now_ms():
    return time.time_ns() // 1_000_000


def wait_until(what, condition, within=30.0, pause=0.05):
    """Waits until `condition()` is true; what it raises counts as no."""
    deadline = time.monotonic() + within
    while True:
        trouble = None
        try:
            if condition():
                return
        except (OSError, ValueError, HarnessError) as error:
            trouble = error
        if time.monotonic() >= deadline:
            raise HarnessError(f"not within {within:g} s: {what}" + (f" ({trouble})" if trouble else ""))
        time.sleep(pause)


@contextlib.contextmanager
def ending_on_signals():
    """Turns SIGTERM and its like into an exit, so that what is to be cleaned up is."""

    def end(number, _):
        for each in handlers:
            signal.signal(each, signal.SIG_IGN)
        sys.exit(128 + number)

    handlers = {}
    if threading.current_thread() is threading.main_thread():
        for each in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            handlers[each] = signal.signal(each, end)
    try:
        yield
    finally:
        for each, handler in handlers.items():
            signal.signal(each, handler)


def postgres_program(name):
    for version in range(18, 14, -1):
        path = f"/usr/lib/postgresql/{version}/bin/{name}"
        if os.access(path, os.X_OK):
            return path
    raise HarnessError(f"{name} is not installed (postgresql-15)")


def call(base, method, path, body=None, headers=None, timeout=5.0):
    """One HTTP call; (status, JSON or None). Raises OSError or HTTPException when there is no answer."""
    connection = http.client.HTTPConnection(urllib.parse.urlsplit(base).netloc, timeout=timeout)
    try:
        if body is not None:
            body, headers = json.dumps(body), {"Content-Type": "application/json", **(headers or {})}
        connection.request(method, path, body, headers or {})
        answer = connection.getresponse()
        content = answer.read()
        return answer.status, json.loads(content) if content[:1] in b"{[" and content else None
    finally:
        connection.close()


def processor_seconds(pid):
    """Of a process, and of all its children: those that run and those that have ended."""
    total = 0
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(path.parent.name) == pid:
            total += sum(map(int, fields[11:15]))
        elif int(fields[1]) == pid:
            total += sum(map(int, fields[11:13]))
    return total / TICKS


class Process:
    """One process of a suite, from its first start on."""

    def __init__(self, suite, **description):
        self.suite = suite
        self.description = description
        self.name = description["name"]
        self.log = suite.folder / "logs" / f"{self.name}.log"
        self.pid = self.status = self.ready = self.url = None
        # By which the kernel knows it: a signal never reaches another one of the same number.
        self.handle = None
        self.is_paused = False

    def start(self):
        """Also again, when it has ended."""
        with self.suite.changed:
            self.pid = None
            self.suite.order(start=self.description)
            self.suite.await_event(f"{self.name} is started", lambda: self.pid is not None, 10)

    def note(self, event):
        """What the suite tells of it."""
        if event["event"] == "started":
            self.pid, self.status, self.is_paused = event["pid"], None, False
            self.ready, self.url = event.get("ready"), event.get("url")
            with contextlib.suppress(ProcessLookupError):
                self.handle = os.pidfd_open(self.pid)
        elif event["event"] == "died":
            self.status = event["status"]
            if self.handle is not None:
                os.close(self.handle)
                self.handle = None

    @property
    def is_running(self):
        return self.pid is not None and self.status is None

    def send_signal(self, number):
        """One that is gone gets none."""
        with self.suite.changed, contextlib.suppress(ProcessLookupError):
            if self.handle is not None:
                signal.pidfd_send_signal(self.handle, number)

    def stop(self, with_signal=signal.SIGTERM, patience=15.0):
        """Ends it, asking first; returns its exit status. A paused one cannot end when it is asked to."""
        if self.pid is None:
            return None
        self.send_signal(signal.SIGKILL if self.is_paused else with_signal)
        with self.suite.changed:
            if not self.suite.changed.wait_for(lambda: not self.is_running, patience):
                self.send_signal(signal.SIGKILL)
                self.suite.await_event(f"{self.name} has ended", lambda: not self.is_running, 10)
        return self.status

    def kill(self):
        self.stop(signal.SIGKILL)

    def pause(self):
        self.is_paused = True
        self.send_signal(signal.SIGSTOP)

    def resume(self):
        self.send_signal(signal.SIGCONT)
        self.is_paused = False

    def answers(self, path=None):
        """That it is ready; or at another path. One that has no health server does."""
        if self.ready is None:
            return True
        with contextlib.suppress(OSError, http.client.HTTPException):
            return call(self.ready, "GET", path or urllib.parse.urlsplit(self.ready).path, timeout=1)[0] == 200
        return False

    def scrape(self):
        """What it has counted, as (name, labels, value); nothing when it does not answer."""
        try:
            with urllib.request.urlopen(urllib.parse.urljoin(self.ready, "/metrics"), timeout=3) as answer:
                text = answer.read().decode()
        except (OSError, http.client.HTTPException):
            return []
        return [(name, labels, float(value)) for name, labels, value in METRIC.findall(text)]

    def wait_until(self, what, condition, within=30.0):
        """As `wait_until`, but not beyond the process's own end."""

        def holds():
            if condition():
                return True
            if not self.is_running:
                raise EndedTooSoon(f"{self.name} ended with status {self.status}:\n{self.last_lines()}")
            return False

        wait_until(what, holds, within)

    def last_lines(self):
        return last_lines(self.log)


def last_lines(log):
    with contextlib.suppress(OSError):
        return "\n".join(log.read_text(errors="replace").splitlines()[-20:])
    return ""


class Suite:
    """Everything is started by `with`, and is gone after it, with its folder.

    `instances` are there from the beginning on, by name (one of each if None); `begin` adds others. `settings` are of all
    processes, `postgres` of PostgreSQL. With `restarts` what dies is started again. KEEP_LOGS names a folder that the logs are
    copied to."""

    PREFIX = "ss-"
    # What stands for its processes.
    kind = Process

    def __init__(self, binaries, instances=(), settings=None, postgres=(), restarts=False, speed=1, options=(),
                 is_headless=True):
        self.binaries = pathlib.Path(binaries).resolve()
        self.description = {
            "instances": instances and [each if isinstance(each, dict) else {"name": each} for each in instances],
            # Push tokens are in clear, so that tests can read them.
            "settings": {"TOKEN_KEY_FILE": "", **(settings or {})}, "postgres": list(postgres), "restarts": restarts,
        }
        self.options = [*(["--headless"] if is_headless else []), "--speed", str(speed), "--tapes", str(TAPES), *options]
        self.keep = os.environ.get("KEEP_LOGS")
        self.processes = {}
        self.changed = threading.Condition(threading.RLock())
        self.endpoints = self.up = self.status = None
        self.is_ending = self.is_over = False

    # What kinds of suites add.

    def prepare(self, stack):
        """Before all else, when the folder is there."""

    def set_up(self, stack):
        """When the instances run."""

    def noticed(self, event):
        """From the thread that reads what happens to the processes."""

    def __enter__(self):
        if not os.access(self.binaries / "sightscreen", os.X_OK):
            raise HarnessError(f"there is no sightscreen in {self.binaries}: swift build")
        with contextlib.ExitStack() as stack:
            stack.enter_context(ending_on_signals())
            self.folder = pathlib.Path(tempfile.mkdtemp(prefix=self.PREFIX, dir="/tmp"))
            stack.callback(self.remove_folder)
            # PostgreSQL runs as a user of its own when we are root, and has to pass through.
            self.folder.chmod(0o711)
            self.prepare(stack)
            for each in [{"name": "postgres"}, *(self.description["instances"] or [])]:
                self.processes[each["name"]] = self.kind(self, **each)
            stack.callback(self.end)
            self.launch()
            self.set_up(stack)
            self.stack = stack.pop_all()
        return self

    def __exit__(self, *_):
        self.stack.close()

    def launch(self):
        with open(self.folder / "up.log", "wb") as log:
            # A session of its own: Ctrl-C is for us.
            self.up = subprocess.Popen(
                [self.binaries / "sightscreen", "up", "--port", "0", "--suite", "-", *self.options],
                env=ENVIRONMENT | {"SIGHTSCREEN_STATE_DIR": str(self.folder)}, cwd="/", stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, stderr=log, text=True, start_new_session=True)
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        with self.changed:
            self.order(**self.description)
            self.await_event("the suite is ready", lambda: self.endpoints, 120)

    def order(self, **line):
        with contextlib.suppress(BrokenPipeError):
            print(json.dumps(line, default=str), file=self.up.stdin, flush=True)

    def read(self):
        for line in self.up.stdout:
            event = json.loads(line)
            with self.changed:
                if event["event"] == "ready":
                    self.endpoints = event["endpoints"]
                elif event["name"] in self.processes:
                    self.processes[event["name"]].note(event)
                    self.noticed(event)
                self.changed.notify_all()
        with self.changed:
            self.is_over = True
            self.changed.notify_all()

    def await_event(self, what, condition, within):
        """Under `changed`."""
        self.changed.wait_for(lambda: condition() or self.is_over, within)
        if not condition():
            raise HarnessError(f"not within {within} s: {what}; sightscreen up:\n{last_lines(self.folder / 'up.log')}")

    def end(self):
        """Ends all, the last started first; `status` is that of `sightscreen up`."""
        for process in self.processes.values():
            # One that stands still cannot end when it is asked to.
            process.send_signal(signal.SIGCONT)
        self.is_ending = True
        if self.up is None:
            return
        with contextlib.suppress(BrokenPipeError):
            self.up.stdin.close()
        if not self.endpoints:
            # It does not read yet.
            self.up.terminate()
        try:
            self.status = self.up.wait(60)
        except subprocess.TimeoutExpired:
            self.up.kill()
            self.status = self.up.wait()
        self.reader.join(5)
        self.up.stdout.close()

    def remove_folder(self):
        if self.keep:
            pathlib.Path(self.keep).mkdir(parents=True, exist_ok=True)
            for log in [*self.folder.glob("*.log"), *self.folder.glob("logs/*")]:
                shutil.copy(log, self.keep)
            say(f"the logs are in {self.keep}")
        shutil.rmtree(self.folder, ignore_errors=True)

    def begin(self, name, service=None, **description):
        """Starts one more process; returns when it runs, which is not when it is ready."""
        self.processes[name] = process = self.kind(self, name=name, service=service or name, **description)
        process.start()
        return process

    @property
    def postgres(self):
        return self.processes["postgres"]

    def log(self, name):
        return (self.folder / "logs" / f"{name}.log").read_text(errors="replace")

    # PostgreSQL.

    @property
    def database_url(self):
        return self.endpoints["databaseURL"]

    def run_sql(self, text):
        return subprocess.run(
            [postgres_program("psql"), "-X", "-q", "--csv", "-t", "-v", "ON_ERROR_STOP=1", "-d", self.database_url, "-f", "-"],
            input=text, env=ENVIRONMENT | {"PGCONNECT_TIMEOUT": "5"}, cwd="/", capture_output=True, text=True)

    def sql(self, text):
        """The rows, each a list of texts."""
        done = self.run_sql(text)
        if done.returncode != 0:
            raise HarnessError(f"psql: {done.stderr.strip()}")
        return list(csv.reader(io.StringIO(done.stdout)))

    def start_postgres(self, within=60.0):
        """Again, after a crash with recovery: one that comes too soon, beside what is left of the crashed one, gives up."""

        def serves():
            if not self.postgres.is_running:
                self.postgres.start()
            return self.run_sql("SELECT 1").returncode == 0

        wait_until("PostgreSQL answers", serves, within)

    # The stand-ins.

    def control(self, method, path, body=None):
        """mock-sportmonks' control port."""
        status, answer = call(self.endpoints["provider"], method, f"/control/{path}", body, timeout=60)
        if status >= 300:
            raise HarnessError(f"mock-sportmonks, {method} {path}: {status} {answer}")
        return answer

    @functools.cached_property
    def key_id(self):
        _, keys = call(self.endpoints["issuer"], "GET", "/.well-known/jwks.json")
        return keys["keys"][0]["kid"]

    def bearer(self, subject):
        """An access token of the development issuer's; older than any clock jumps back."""
        def text(part):
            return base64.urlsafe_b64encode(part if isinstance(part, bytes) else json.dumps(part).encode()).rstrip(b"=")

        issuer, now = self.endpoints["issuer"], int(time.time())
        claims = {"sub": subject, "iss": issuer, "client_id": CLIENT, "token_use": "access", "iat": now - 7_200,
                  "auth_time": now - 7_200, "exp": now + 72_000, "jti": str(uuid.uuid4())}
        signed = text({"alg": "RS256", "kid": self.key_id}) + b"." + text(claims)
        signature = subprocess.run(
            ["openssl", "dgst", "-sha256", "-sign", f"{self.endpoints['secrets']}/issuer-key.pem"], input=signed, check=True,
            capture_output=True).stdout
        return (signed + b"." + text(signature)).decode()


class Session:
    """One psql that stays: a question costs a millisecond. It is not for two threads."""

    END = "--end--"

    def __init__(self, suite):
        self.suite = suite
        self.process = None

    def rows(self, query):
        """What a SELECT gives, as dictionaries."""
        [rows] = self.ask([query])
        return rows

    def at_once(self, queries):
        """What SELECTs give of one and the same moment, each as dictionaries."""
        return self.ask(queries, before="BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;\n", after="COMMIT;\n")

    def ask(self, queries, before="", after=""):
        if self.process is None or self.process.poll() is not None:
            self.open()
        try:
            asked = "".join(f"SELECT row_to_json(t) FROM ({query}) AS t;\n\\echo {self.END}\n" for query in queries)
            self.process.stdin.write(before + asked + after)
            self.process.stdin.flush()
            answers, rows = [], []
            for line in self.process.stdout:
                if line.rstrip("\n") != self.END:
                    rows.append(json.loads(line))
                    continue
                answers.append(rows)
                rows = []
                if len(answers) == len(queries):
                    return answers
        except OSError:
            pass
        self.close()
        raise HarnessError("PostgreSQL is away")

    def open(self):
        self.process = subprocess.Popen(
            [postgres_program("psql"), "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", self.suite.database_url],
            env=ENVIRONMENT | {"PGCONNECT_TIMEOUT": "5", "PGOPTIONS": "-c statement_timeout=5s"}, cwd="/",
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True)

    def close(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None
