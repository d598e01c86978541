"""The warm suite of deploy/chaos: everything real, two or three of each service, a run directory for each kind, and the stand-ins
around them."""

import os
import pathlib
import struct
import subprocess
import time

from chaos_draw import REPLICAS, host_of
from chaos_links import Links
from chaos_supervisor import Supervisor
from children import Child, wait_until
from fanout_ground import make_keys
from stage import Stage, lasting_port

CLOCK_SOURCE = pathlib.Path(__file__).with_name("chaos_clock.c")
DAY = 86_400
# What `deploy/up --speed 40` passes (`DemoTiming`), but for a shorter `RESULT_HOLD`: each match ends. A start's lease is the
# shortest there is, so that one that was lost is tried again within the lab's patience.
TIMING = {
    "POLL_INTERVAL": "200ms", "MARQUEE_POLL_INTERVAL": "200ms", "SUSPENDED_POLL_INTERVAL": "1500ms",
    "ORCHESTRATOR_INTERVAL": "1s", "RESULT_HOLD": "1500ms", "SUPER_OVER_WAIT": "30s", "KEEPALIVE_INTERVAL": "30s",
    "START_FALLBACK_WAIT": "3s", "ACTIVITY_RENEW_AFTER": "697s", "SPORTMONKS_HOURLY_LIMIT": "0",
    "LEASE_DURATION": "2s", "START_LEASE": "15s", "RATE_LIMIT_FACTOR": "0",
    # Some audits in each schedule.
    "AUDIT_INTERVAL": "4s",
}
# An answer of APNs takes so long, and a connection carries so few pushes at a time: a fan-out to a few dozen phones lasts
# long enough to be struck.
APNS = {"APNS_SIMULATOR_ANSWER_DELAY": "250ms", "APNS_SIMULATOR_STREAMS": "2", "APNS_SIMULATOR_DELIVERIES": "100000"}
# Who shares a run directory, so that sockets to others lead through a proxy.
KIND = {"api-gateway": "edge", "orchestrator": "edge", "score-poller": "pollers", "event-bus": "buses",
        "la-coordinator": "coordinators"}
# Whose sockets each kind looks for.
LINKS = [("pollers", "score-poller", "event-bus"), ("buses", "event-bus", "la-coordinator"),
         ("edge", "edge", "la-coordinator")]


class Suite(Stage):
    timing, apns = TIMING, APNS

    def __init__(self, binaries, tapes, keep=None, hosts=None, others=None):
        """`hosts`: the two that the services run on, one of each on the first, the second on the other, and so on.
        `others`: executables of another version, which the second of each service runs."""
        super().__init__(binaries, tapes, keep, others)
        self.hosts = hosts
        self.supervisor = Supervisor()
        self.links = Links()

    def prepare(self, stack):
        if self.hosts:
            stack.callback(self.hosts.stop)
            self.hosts.start()
            self.centre, self.everywhere = self.hosts.centre, "0.0.0.0"
        (self.folder / "clocks").mkdir()
        self.make_clocks()

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

    def start_database(self, stack):
        super().start_database(stack, *(["-c", f"listen_addresses={self.centre}"] if self.hosts else []))
        if self.hosts:
            with open(self.folder / "pg" / "data" / "pg_hba.conf", "a") as access:
                access.write(f"host lab sightscreen {self.centre}/24 trust\n")
            self.postgres.sql("SELECT pg_reload_conf()")
            self.database_url = f"postgresql://sightscreen@{self.centre}/lab"
        self.supervisor.add(self.postgres.child, "postgres").started_at = time.monotonic()

    # The services.

    def start_services(self, stack):
        self.links.start()
        stack.callback(self.links.stop)
        self.supervisor.start()
        stack.callback(self.supervisor.stop)
        for kind, source, service in LINKS:
            for letter in "abc"[:REPLICAS[service]]:
                name, host = f"{service}-{letter}.sock", self.host(letter)
                self.links.add(f"{source}>{service}", self.run(kind, host) / service / name,
                               self.run(KIND[service], host) / service / name)
        for service, count in REPLICAS.items():
            for letter in "abc"[:count]:
                self.start_service(service, f"{service}-{letter}")
        wait_until("all services are ready", lambda: not self.supervisor.all_are_well(), within=90, pause=0.2)

    def host(self, letter):
        """Of the replica with this letter; "" when there is but one."""
        return host_of(letter) if self.hosts else ""

    def run(self, kind, host=""):
        """Sockets are for processes of one host."""
        return self.folder / f"{kind}{host}"

    def start_service(self, service, instance):
        host = self.host(instance[-1])
        health = (self.hosts.addresses[host] if host else "127.0.0.1", lasting_port())
        # Not for what starts it.
        preload = [f"{name}={value}" for name, value in self.clock(instance).items()]
        child = Child(
            instance, [*(self.hosts.command(host) if host else []), "/usr/bin/env", *preload, self.program(service, instance)],
            self.folder / "logs" / f"{instance}.log",
            self.environment(service, instance, self.run(KIND[service], host), health))
        self.supervisor.begin(self.supervisor.add(child, service, health, host))

    def program(self, service, instance):
        return (self.others if instance.endswith("-b") else self.binaries) / service
