"""The warm suite of deploy/chaos: everything real, two or three of each service, a run directory for each kind, and the stand-ins
around them."""

import base64
import contextlib
import http.client
import json
import os
import pathlib
import random
import secrets
import shutil
import socket
import struct
import subprocess
import tempfile
import time
import uuid

from chaos_draw import REPLICAS
from chaos_hosts import HOSTS
from chaos_links import Links
from chaos_supervisor import Supervisor
from children import ENVIRONMENT, Child, LabError, ending_on_signals, say, wait_until
from fanout_ground import BUNDLE, KEY_ID, TEAM, Simulator, make_keys
from private_postgres import PrivatePostgres, binary

CLOCK_SOURCE = pathlib.Path(__file__).with_name("chaos_clock.c")
DAY = 86_400
CLIENT = "chaos"
# What `deploy/up --speed 40` passes (`DemoTiming`), but for a shorter `RESULT_HOLD`: each match ends. A start's lease is the
# shortest there is, so that one that was lost is tried again within the lab's patience.
TIMING = {
    "POLL_INTERVAL": "200ms", "MARQUEE_POLL_INTERVAL": "200ms", "SUSPENDED_POLL_INTERVAL": "1500ms",
    "ORCHESTRATOR_INTERVAL": "1s", "RESULT_HOLD": "1500ms", "SUPER_OVER_WAIT": "30s", "KEEPALIVE_INTERVAL": "30s",
    "START_FALLBACK_WAIT": "3s", "ACTIVITY_RENEW_AFTER": "697s", "SPORTMONKS_HOURLY_LIMIT": "0",
    "LEASE_DURATION": "2s", "START_LEASE": "15s", "RATE_LIMIT_FACTOR": "0",
}
# An answer of APNs takes so long, and a connection carries so few pushes at a time: a fan-out to a few dozen phones lasts
# long enough to be struck.
APNS = {"APNS_SIMULATOR_ANSWER_DELAY": "250ms", "APNS_SIMULATOR_STREAMS": "2"}
# Who shares a run directory, so that sockets to others lead through a proxy.
KIND = {"api-gateway": "edge", "orchestrator": "edge", "score-poller": "pollers", "event-bus": "buses",
        "la-coordinator": "coordinators"}
# Whose sockets each kind looks for.
LINKS = [("pollers", "score-poller", "event-bus"), ("buses", "event-bus", "la-coordinator"),
         ("edge", "edge", "la-coordinator")]


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


class Suite:
    """Everything is started by `with`, and is gone after it, with its folder."""

    def __init__(self, binaries, tapes, keep=None, hosts=None, others=None):
        """`hosts`: the two that the services run on, one of each on the first, the second on the other, and so on.
        `others`: executables of another version, which the second of each service runs."""
        self.hosts = hosts
        self.binaries = pathlib.Path(binaries).resolve()
        self.others = pathlib.Path(others).resolve() if others else self.binaries
        self.tapes = pathlib.Path(tapes).resolve()
        self.keep = keep and pathlib.Path(keep).resolve()
        self.supervisor = Supervisor()
        self.links = Links()
        self.provider_token = secrets.token_hex(16)

    def __enter__(self):
        stand_ins = ["mock-sportmonks", "apns-simulator"]
        for binaries, programs in ((self.binaries, stand_ins), (self.others, [])):
            for program in (*REPLICAS, "sightscreen", *programs):
                if not os.access(binaries / program, os.X_OK):
                    raise LabError(f"there is no {program} in {binaries}: swift build --product {program}")
        with contextlib.ExitStack() as stack:
            stack.enter_context(ending_on_signals())
            self.folder = pathlib.Path(tempfile.mkdtemp(prefix="ss-chaos-", dir="/tmp"))
            stack.callback(self.remove_folder)
            # PostgreSQL runs as a user of its own when we are root, and has to pass through.
            self.folder.chmod(0o711)
            (self.folder / "clocks").mkdir()
            (self.folder / "logs").mkdir()
            if self.hosts:
                stack.callback(self.hosts.stop)
                self.hosts.start()
            # Where the services find what is not theirs, and where that listens.
            self.centre, self.everywhere = (self.hosts.centre, "0.0.0.0") if self.hosts else ("localhost", "127.0.0.1")
            self.make_clocks()
            self.make_keys()
            self.start_database(stack)
            self.simulator = Simulator(self.binaries, self.folder, {
                **APNS, "APNS_SIMULATOR_DELIVERIES": "100000", "APNS_SIMULATOR_HOST": self.everywhere})
            stack.callback(self.simulator.stop)
            self.simulator.start()
            self.start_issuer(stack)
            self.start_provider(stack)
            self.links.start()
            stack.callback(self.links.stop)
            self.supervisor.start()
            stack.callback(self.supervisor.stop)
            self.start_services()
            self.stack = stack.pop_all()
        return self

    def __exit__(self, *_):
        self.stack.close()

    def remove_folder(self):
        if self.keep:
            self.keep.mkdir(parents=True, exist_ok=True)
            for log in [*self.folder.glob("*.log"), *self.folder.glob("logs/*")]:
                shutil.copy(log, self.keep)
            say(f"the logs are in {self.keep}")
        shutil.rmtree(self.folder, ignore_errors=True)

    def make_clocks(self):
        self.clock_library = self.folder / "clock.so"
        subprocess.run(
            ["cc", "-O2", "-Wall", "-Werror", "-shared", "-fPIC", "-o", self.clock_library, CLOCK_SOURCE, "-ldl"], check=True)

    def clock(self, name):
        """What gives a process a wall clock that can be set."""
        self.set_clock(name, 0)
        return {"LD_PRELOAD": str(self.clock_library), "CHAOS_CLOCK": str(self.folder / "clocks" / name)}

    def set_clock(self, name, seconds):
        """So many more than it is."""
        # In place: who has it mapped sees it at once.
        with open(self.folder / "clocks" / name, "r+b" if (self.folder / "clocks" / name).exists() else "wb") as file:
            file.write(struct.pack("q", seconds))

    def make_keys(self):
        """The certificate is a day old, since clocks are to go back an hour."""
        yesterday = self.clock("openssl")
        self.set_clock("openssl", -DAY)
        os.environ |= yesterday
        try:
            make_keys(self.folder, *([self.centre] if self.hosts else []))
        finally:
            for name in yesterday:
                del os.environ[name]

    # What stands around the services.

    def start_database(self, stack):
        self.postgres = PrivatePostgres(self.folder / "pg")
        # Eleven services have pools of their own, and the dead ones' sessions end a moment later.
        self.postgres.child.command += ["-c", "max_connections=300"]
        self.database_url = self.postgres.url()
        if self.hosts:
            self.postgres.child.command += ["-c", f"listen_addresses={self.centre}"]
            self.database_url = f"postgresql://sightscreen@{self.centre}/lab"
        stack.callback(self.postgres.stop)
        self.postgres.create()
        if self.hosts:
            with open(self.folder / "pg" / "data" / "pg_hba.conf", "a") as access:
                access.write(f"host lab sightscreen {self.centre}/24 trust\n")
            self.postgres.sql("SELECT pg_reload_conf()")
        # The older of the two finds its own, or nothing to do: whatever is newer stays.
        for binaries in dict.fromkeys((self.others, self.binaries)):
            self.postgres.migrate(binaries)
        self.supervisor.add(self.postgres.child, "postgres").started_at = time.monotonic()

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

    # The services.

    def start_services(self):
        for kind, source, service in LINKS:
            for letter in "abc"[:REPLICAS[service]]:
                name, host = f"{service}-{letter}.sock", self.host(letter)
                self.links.add(f"{source}>{service}", self.run(kind, host) / service / name,
                               self.run(KIND[service], host) / service / name)
        self.gateways = []
        for service, count in REPLICAS.items():
            for letter in "abc"[:count]:
                self.start_service(service, f"{service}-{letter}")
        wait_until("all services are ready", lambda: not self.supervisor.all_are_well(), within=90, pause=0.2)

    def host(self, letter):
        """Of the replica with this letter; "" when there is but one."""
        return HOSTS["abc".index(letter) % len(HOSTS)] if self.hosts else ""

    def run(self, kind, host=""):
        """Sockets are for processes of one host."""
        return self.folder / f"{kind}{host}"

    def start_service(self, service, instance):
        host = self.host(instance[-1])
        address = self.hosts.addresses[host] if host else "127.0.0.1"
        port = lasting_port()
        # Not for what starts it.
        preload = [f"{name}={value}" for name, value in self.clock(instance).items()]
        child = Child(
            instance, [*(self.hosts.command(host) if host else []), "/usr/bin/env", *preload, self.program(service, instance)],
            self.folder / "logs" / f"{instance}.log", {
                "DATABASE_URL": self.database_url, "SIGHTSCREEN_STAND_INS": "1", "INSTANCE": instance,
                "SIGHTSCREEN_RUN_DIR": str(self.run(KIND[service], host)), "HEALTH_HOST": address, "HEALTH_PORT": str(port),
                **TIMING, **self.settings(service, address),
            })
        self.supervisor.begin(self.supervisor.add(child, service, (address, port), host))

    def program(self, service, instance):
        return (self.others if instance.endswith("-b") else self.binaries) / service

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

    admin_key = secrets.token_hex(32)

    def bearer(self, subject):
        """An access token of the development issuer's; older than any clock jumps back."""
        def text(part):
            return base64.urlsafe_b64encode(part if isinstance(part, bytes) else json.dumps(part).encode()).rstrip(b"=")

        now = int(time.time())
        claims = {"sub": subject, "iss": self.issuer, "client_id": CLIENT, "token_use": "access", "iat": now - 7_200,
                  "auth_time": now - 7_200, "exp": now + 86_400, "jti": str(uuid.uuid4())}
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
        if self.process is None or self.process.poll() is not None:
            self.open()
        try:
            self.process.stdin.write(f"SELECT row_to_json(t) FROM ({query}) AS t;\n\\echo {self.END}\n")
            self.process.stdin.flush()
            lines = []
            for line in self.process.stdout:
                if line.rstrip("\n") == self.END:
                    return [json.loads(line) for line in lines]
                lines.append(line)
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
