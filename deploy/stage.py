"""What the services of a lab stand on: a PostgreSQL, an apns-simulator, a mock-sportmonks and an issuer of access tokens, all of
them real; and the settings by which each service finds them."""

import base64
import contextlib
import http.client
import json
import os
import pathlib
import random
import re
import secrets
import shutil
import socket
import subprocess
import tempfile
import time
import uuid

from children import ENVIRONMENT, Child, LabError, ending_on_signals, say
from fanout_ground import BUNDLE, KEY_ID, TEAM, Simulator, make_keys
from private_postgres import PrivatePostgres, binary

SERVICES = ("api-gateway", "orchestrator", "score-poller", "event-bus", "la-coordinator")
CLIENT = "lab"
METRIC = re.compile(r'^(\w+)(\{[^}]*\})? (\S+)$', re.MULTILINE)


def call(where, method, path, body=None, headers=None, timeout=5.0):
    """One HTTP call, to a port here or to a pair of address and port; (status, JSON or None). Raises OSError or HTTPException
    when there is no answer."""
    address, port = where if isinstance(where, tuple) else ("127.0.0.1", where)
    connection = http.client.HTTPConnection(address, port, timeout=timeout)
    try:
        if body is not None:
            body, headers = json.dumps(body), {"Content-Type": "application/json", **(headers or {})}
        connection.request(method, path, body, headers or {})
        answer = connection.getresponse()
        content = answer.read()
        return answer.status, json.loads(content) if content[:1] in b"{[" and content else None
    finally:
        connection.close()


# Names that tell the other labs of this machine which ports are ours: they go with this process.
claims = []


def lasting_port():
    """A port that nobody gets for a connection while its owner is dead: below those that the kernel gives out. No other lab
    takes it, either."""
    first = int(pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    while True:
        port = random.randrange(first // 2, first)
        claim = socket.socket(socket.AF_UNIX)
        with contextlib.suppress(OSError), socket.socket() as probe:
            claim.bind(f"\0sightscreen-lab-port-{port}")
            probe.bind(("127.0.0.1", port))
            claims.append(claim)
            return port
        claim.close()


def scrape(where):
    """What a service has counted, as (name, labels, value); nothing when it does not answer."""
    connection = http.client.HTTPConnection(*where, timeout=3)
    try:
        connection.request("GET", "/metrics")
        text = connection.getresponse().read().decode()
    except (OSError, http.client.HTTPException):
        return []
    finally:
        connection.close()
    return [(name, labels, float(value)) for name, labels, value in METRIC.findall(text)]


class Stage:
    """Everything is started by `with`, and is gone after it, with its folder. Services are what a kind of stage adds."""

    # Of the services, where production's do not do, and of the simulator.
    timing = {}
    apns = {}
    # Where the services find what is not theirs, and where that listens.
    centre, everywhere = "localhost", "127.0.0.1"

    def __init__(self, binaries, tapes, keep=None, others=None):
        """`others`: executables of another version, for some of the services."""
        self.binaries = pathlib.Path(binaries).resolve()
        self.others = pathlib.Path(others).resolve() if others else self.binaries
        self.tapes = pathlib.Path(tapes).resolve()
        self.keep = keep and pathlib.Path(keep).resolve()
        self.provider_token = secrets.token_hex(16)
        self.admin_key = secrets.token_urlsafe(48)
        self.gateways = []

    def __enter__(self):
        stand_ins = ["mock-sportmonks", "apns-simulator"]
        for binaries, programs in ((self.binaries, stand_ins), (self.others, [])):
            for program in (*SERVICES, "sightscreen", *programs):
                if not os.access(binaries / program, os.X_OK):
                    raise LabError(f"there is no {program} in {binaries}: swift build --product {program}")
        with contextlib.ExitStack() as stack:
            stack.enter_context(ending_on_signals())
            self.folder = pathlib.Path(tempfile.mkdtemp(prefix="ss-stage-", dir="/tmp"))
            stack.callback(self.remove_folder)
            # PostgreSQL runs as a user of its own when we are root, and has to pass through.
            self.folder.chmod(0o711)
            (self.folder / "logs").mkdir()
            self.prepare(stack)
            self.make_keys()
            self.start_database(stack)
            self.simulator = Simulator(self.binaries, self.folder, {**self.apns, "APNS_SIMULATOR_HOST": self.everywhere})
            stack.callback(self.simulator.stop)
            self.simulator.start()
            self.start_issuer(stack)
            self.start_provider(stack)
            self.start_services(stack)
            self.stack = stack.pop_all()
        return self

    def __exit__(self, *_):
        self.stack.close()

    def prepare(self, stack):
        """What comes before all else."""

    def start_services(self, stack):
        """What comes after it."""

    def remove_folder(self):
        if self.keep:
            self.keep.mkdir(parents=True, exist_ok=True)
            for log in [*self.folder.glob("*.log"), *self.folder.glob("logs/*")]:
                shutil.copy(log, self.keep)
            say(f"the logs are in {self.keep}")
        shutil.rmtree(self.folder, ignore_errors=True)

    def make_keys(self):
        make_keys(self.folder)

    def start_database(self, stack, *flags):
        self.postgres = PrivatePostgres(self.folder / "pg")
        # Many services have pools of their own, and the dead ones' sessions end a moment later.
        self.postgres.child.command += ["-c", "max_connections=300", *flags]
        self.database_url = self.postgres.url()
        stack.callback(self.postgres.stop)
        self.postgres.create()
        # The older of the two finds its own, or nothing to do: whatever is newer stays.
        for binaries in dict.fromkeys((self.others, self.binaries)):
            self.postgres.migrate(binaries)

    def stand_in(self, stack, name, command, environment, is_ready):
        child = Child(name, command, self.folder / f"{name}.log", environment)
        stack.callback(child.stop)
        child.start()
        child.wait_until(f"{name} is ready", is_ready)

    def start_issuer(self, stack):
        port = lasting_port()
        self.issuer = f"http://{self.centre}:{port}"
        self.stand_in(
            stack, "dev-issuer", [self.binaries / "sightscreen", "dev-issuer", "--host", self.everywhere, "--port", port,
                                  "--state-dir", self.folder / "issuer"], {},
            lambda: call(port, "GET", "/health/live")[0] == 200)
        _, keys = call(port, "GET", "/.well-known/jwks.json")
        self.key_id = keys["keys"][0]["kid"]

    def start_provider(self, stack):
        self.provider = lasting_port()
        self.stand_in(
            stack, "mock-sportmonks", [self.binaries / "mock-sportmonks"],
            {"SIGHTSCREEN_STAND_INS": "1", "SIGHTSCREEN_RUN_DIR": str(self.folder / "mock"), "HEALTH_PORT": "0",
             "MOCK_SPORTMONKS_HOST": self.everywhere, "MOCK_SPORTMONKS_PORT": str(self.provider),
             "MOCK_SPORTMONKS_TAPES": str(self.tapes),
             "MOCK_SPORTMONKS_TOKEN": self.provider_token, "LOG_LEVEL": "warning"},
            lambda: call(self.provider, "GET", "/control/matches")[0] == 200)

    def control(self, method, path, body=None):
        """mock-sportmonks' control port."""
        status, answer = call(self.provider, method, f"/control/{path}", body, timeout=30)
        if status >= 300:
            raise LabError(f"mock-sportmonks, {method} {path}: {status} {answer}")
        return answer

    def environment(self, service, instance, run, health):
        """Of one process: its name, its run directory, and the address and port where it says how it is."""
        address, port = health
        return {
            "DATABASE_URL": self.database_url, "SIGHTSCREEN_STAND_INS": "1", "INSTANCE": instance,
            "SIGHTSCREEN_RUN_DIR": str(run), "HEALTH_HOST": address, "HEALTH_PORT": str(port), **self.timing,
            **self.settings(service, address),
        }

    def settings(self, service, address):
        if service == "api-gateway":
            self.gateways.append((address, lasting_port()))
            return {"GATEWAY_HOST": address, "GATEWAY_PORT": str(self.gateways[-1][1]), "COGNITO_ISSUER": self.issuer,
                    "COGNITO_CLIENT_ID": CLIENT, "ADMIN_API_KEY": self.admin_key}
        if service in ("orchestrator", "score-poller"):
            return {"SPORTMONKS_API_TOKEN": self.provider_token,
                    "SPORTMONKS_URL": f"http://{self.centre}:{self.provider}/api/v2.0"}
        if service == "la-coordinator":
            apns = f"https://{self.centre}:{self.simulator.port}"
            return {"APNS_KEY_FILE": f"{self.folder}/key.p8", "APNS_KEY_ID": KEY_ID, "APNS_TEAM_ID": TEAM,
                    "APNS_BUNDLE_ID": BUNDLE, "APNS_URL": apns, "APNS_SANDBOX_URL": apns,
                    "APNS_CA_FILE": f"{self.folder}/server.pem"}
        return {}

    def bearer(self, subject):
        """An access token of the development issuer's; older than any clock jumps back."""
        def text(part):
            return base64.urlsafe_b64encode(part if isinstance(part, bytes) else json.dumps(part).encode()).rstrip(b"=")

        now = int(time.time())
        claims = {"sub": subject, "iss": self.issuer, "client_id": CLIENT, "token_use": "access", "iat": now - 7_200,
                  "auth_time": now - 7_200, "exp": now + 72_000, "jti": str(uuid.uuid4())}
        signed = text({"alg": "RS256", "kid": self.key_id}) + b"." + text(claims)
        signature = subprocess.run(
            ["openssl", "dgst", "-sha256", "-sign", self.folder / "issuer" / "issuer-key.pem"], input=signed, check=True,
            capture_output=True).stdout
        return (signed + b"." + text(signature)).decode()


class Session:
    """One psql that stays: a question costs a millisecond. It is not for two threads."""

    END = "--end--"

    def __init__(self, postgres):
        self.postgres = postgres
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
        raise LabError("PostgreSQL is away")

    def open(self):
        self.process = subprocess.Popen(
            [binary("psql"), "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", self.postgres.url()],
            env=ENVIRONMENT | {"PGCONNECT_TIMEOUT": "5", "PGOPTIONS": "-c statement_timeout=5s"}, cwd="/",
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True)

    def close(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None
