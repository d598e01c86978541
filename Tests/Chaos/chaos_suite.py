"""The warm suite of deploy/chaos: everything real, two or three of each service, a run directory for each kind, and the stand-ins
around them."""

import os
import pathlib
import secrets
import signal
import struct
import subprocess

from chaos_draw import REPLICAS, host_of
from chaos_links import Links
from chaos_lives import Life, Prober
from fanout_fixture import Simulator
from harness import STAND_INS, Suite, wait_until

CLOCK_SOURCE = pathlib.Path(__file__).with_name("chaos_clock.c")
DAY = 86_400
# Waiting periods are those of `deploy/up --speed 40`, but for a shorter `RESULT_HOLD`: each match ends. A start's lease is the
# shortest there is, so that one that was lost is tried again within our patience.
SPEED = 40
TIMING = {"RESULT_HOLD": "1500ms", "LEASE_DURATION": "2s", "START_LEASE": "15s", "RATE_LIMIT_FACTOR": "0",
          # Some audits in each schedule.
          "AUDIT_INTERVAL": "4s",
          # Phones that listen to channels are only in some schedules, and a few are enough for one.
          "BROADCAST": "auto", "CHANNEL_MIN_FOLLOWERS": "3"}
# An answer of APNs takes so long, and a connection carries so few pushes at a time: a fan-out to a few dozen phones lasts
# long enough to be struck.
APNS = {"APNS_SIMULATOR_ANSWER_DELAY": "250ms", "APNS_SIMULATOR_STREAMS": "2", "APNS_SIMULATOR_DELIVERIES": "100000"}
# Who shares a run directory, so that sockets to others lead through a proxy.
KIND = {"api-gateway": "edge", "orchestrator": "edge", "score-poller": "pollers", "event-bus": "buses",
        "la-coordinator": "coordinators"}
# Whose sockets each kind looks for.
LINKS = [("pollers", "score-poller", "event-bus"), ("buses", "event-bus", "la-coordinator"),
         ("edge", "edge", "la-coordinator")]
INSTANCES = {f"{service}-{letter}": service for service, count in REPLICAS.items() for letter in "abc"[:count]}


class ChaosSuite(Suite):
    PREFIX = "ss-chaos-"
    kind = Life

    def __init__(self, binaries, keep=None, hosts=None, others=None):
        """`hosts`: the two that the services run on, one of each on the first, the second on the other, and so on.
        `others`: executables of another version, which the second of each service runs."""
        self.provider_token, self.admin_key = secrets.token_hex(16), secrets.token_urlsafe(48)
        super().__init__(
            binaries, [{"name": name, "settings": APNS if name == "apns-simulator" else {}} for name in STAND_INS],
            {**TIMING, "SPORTMONKS_API_TOKEN": self.provider_token,
             "MOCK_SPORTMONKS_TOKEN": self.provider_token, "ADMIN_API_KEY": self.admin_key},
            # Many services have pools of their own, and the dead ones' sessions end a moment later.
            ["max_connections=300"], restarts=True, speed=SPEED,
            # The certificate is ours, and there before the suite.
            options=["--keep"])
        self.others = pathlib.Path(others).resolve() if others else self.binaries
        self.keep = keep and pathlib.Path(keep).resolve()
        self.hosts = hosts
        self.links = Links()
        self.deaths, self.unclean = [], []
        # Channels that earlier schedules have left at APNs.
        self.orphans = set()

    def prepare(self, stack):
        # After the services, which would miss each other.
        stack.callback(self.links.stop)
        if self.hosts:
            stack.callback(self.hosts.stop)
            self.hosts.start()
            self.share(self.hosts.centre)
        (self.folder / "clocks").mkdir()
        self.clock_library = self.folder / "clock.so"
        subprocess.run(
            ["cc", "-O2", "-Wall", "-Werror", "-shared", "-fPIC", "-o", self.clock_library, CLOCK_SOURCE, "-ldl"], check=True)
        self.make_certificate()

    def share(self, address):
        """What other hosts reach: the stand-ins, and PostgreSQL."""
        access = self.folder / "pg_hba.conf"
        access.write_text(f"local all all trust\nhost sightscreen sightscreen {address}/24 trust\n")
        access.chmod(0o644)
        self.description["address"] = address
        self.description["postgres"] += [f"listen_addresses={address}", f"hba_file={access}"]

    def make_certificate(self):
        """The simulator's is a day old, since clocks are to go back an hour."""
        folder = self.folder / "secrets"
        folder.mkdir(0o711)
        self.set_clock("openssl", -DAY)
        names = ["DNS:localhost", "IP:127.0.0.1", *([f"IP:{self.hosts.centre}"] if self.hosts else [])]
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "3",
             "-subj", "/CN=localhost", "-addext", f"subjectAltName={','.join(names)}",
             "-keyout", folder / "apns-certificate-key.pem", "-out", folder / "apns-certificate.pem"],
            env=os.environ | self.clock("openssl"), check=True, capture_output=True)

    def clock(self, name):
        """What gives a process a wall clock that can be set."""
        return {"LD_PRELOAD": str(self.clock_library), "CHAOS_CLOCK": str(self.folder / "clocks" / name)}

    def set_clock(self, name, seconds):
        """So many more than it is."""
        # In place: who has it mapped sees it at once.
        with open(self.folder / "clocks" / name, "r+b" if (self.folder / "clocks" / name).exists() else "wb") as file:
            file.write(struct.pack("q", seconds))

    # The services.

    def set_up(self, stack):
        self.simulator = Simulator(self)
        self.links.start()
        for kind, source, service in LINKS:
            for name in (name for name, its in INSTANCES.items() if its == service):
                host = self.host(name)
                self.links.add(f"{source}>{service}", self.run_directory(kind, host) / service / f"{name}.sock",
                               self.run_directory(KIND[service], host) / service / f"{name}.sock")
        prober = Prober(self)
        stack.callback(prober.stop)
        prober.start()
        for name, service in INSTANCES.items():
            self.begin_service(name, service)
        wait_until("all services are ready", lambda: not self.troubled(), within=90, pause=0.2)

    def host(self, instance):
        """The one that it runs on; "" when there is but one."""
        return host_of(instance[-1]) if self.hosts else ""

    def run_directory(self, kind, host=""):
        """Sockets are for processes of one host."""
        return self.folder / f"{kind}{host}"

    def begin_service(self, name, service):
        host = self.host(name)
        self.set_clock(name, 0)
        settings = {"SIGHTSCREEN_RUN_DIR": str(self.run_directory(KIND[service], host)),
                    "APNS_SANDBOX_URL": self.endpoints["apns"], "REPLAY_URL": ""}
        where = {}
        if host:
            settings["DATABASE_URL"] = f"postgresql://sightscreen@{self.hosts.centre}/sightscreen"
            where = {"address": self.hosts.addresses[host], "host": host}
        # The clock is not for what starts it.
        preload = [f"{key}={value}" for key, value in self.clock(name).items()]
        self.begin(name, service, program=self.program(service, name), settings=settings, **where,
                   prefix=[*(self.hosts.command(host) if host else []), "/usr/bin/env", *preload])

    def program(self, service, instance):
        return str((self.others if instance.endswith("-b") else self.binaries) / service)

    def of(self, *services):
        return [self.processes[name] for name, service in INSTANCES.items() if service in services]

    @property
    def gateways(self):
        return [each.url for each in self.of("api-gateway")]

    def troubled(self):
        """What is not running or not ready."""
        return [each.name for each in [self.postgres, *self.of(*REPLICAS)] if not each.is_running or not each.answers()]

    def take_deaths(self):
        with self.changed:
            deaths, self.deaths = self.deaths, []
        return deaths

    def noticed(self, event):
        if self.is_ending and event["event"] == "died" and event["name"] in INSTANCES \
                and event["status"] not in (0, -signal.SIGTERM):
            self.unclean.append(f"{event['name']} ended with {event['status']} when all was over")
