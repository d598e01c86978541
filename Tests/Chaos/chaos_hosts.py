"""Two hosts on one machine: network namespaces that reach this one, where PostgreSQL, the provider and APNs are, and share
nothing else but its disks. A host can be cut off, and it can lose all its processes at once."""

import contextlib
import os
import subprocess
import threading
import time

from chaos_draw import HOSTS
from harness import HarnessError

# Of a range that is kept for tests of networks (RFC 2544).
NETWORK = "198.18.{}.{}"
FIRST_NETWORK = 71


def ip(*arguments):
    done = subprocess.run(["ip", *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        raise HarnessError(f"ip {' '.join(arguments)}: {done.stderr.strip()} (network namespaces need root)")


class Hosts:
    """From `start` to `stop`. A process of a host begins with `command`."""

    def __init__(self, number=0):
        """`number`: of the network, so that several can be side by side."""
        self.centre, *addresses = (NETWORK.format(FIRST_NETWORK + number, host) for host in range(1, 2 + len(HOSTS)))
        self.addresses = dict(zip(HOSTS, addresses))
        self.tag = f"ss{os.getpid()}"
        self.bridge = f"{self.tag}br"
        self.made = []
        self.guard = threading.Lock()
        # By host: until when it is cut off.
        self.until = dict.fromkeys(HOSTS, 0.0)

    def start(self):
        self.make("link", self.bridge, "type", "bridge")
        ip("addr", "add", f"{self.centre}/24", "dev", self.bridge)
        ip("link", "set", self.bridge, "up")
        for host, address in self.addresses.items():
            space = self.space(host)
            self.make("netns", space)
            self.make("link", self.cable(host), "type", "veth", "peer", "name", "net0", "netns", space)
            ip("link", "set", self.cable(host), "master", self.bridge, "up")
            for line in (["addr", "add", f"{address}/24", "dev", "net0"], ["link", "set", "net0", "up"],
                         ["link", "set", "lo", "up"]):
                ip("-n", space, *line)

    def make(self, kind, name, *rest):
        ip(kind, "add", name, *rest)
        self.made.append((kind, name))

    def space(self, host):
        return f"{self.tag}{host}"

    def cable(self, host):
        return f"{self.tag}c{host}"

    def command(self, host):
        """What the command line of a process there begins with."""
        return ["nsenter", f"--net=/run/netns/{self.space(host)}", "--"]

    def cut(self, host, seconds):
        """Nothing gets in or out for so long; connections stay, as nobody tells them."""
        until = time.monotonic() + seconds
        with self.guard:
            self.until[host] = max(self.until[host], until)
            ip("link", "set", self.cable(host), "down")
        time.sleep(seconds)
        with self.guard:
            # Unless another cut goes on.
            if time.monotonic() >= self.until[host]:
                ip("link", "set", self.cable(host), "up")

    def stop(self):
        for kind, name in reversed(self.made):
            # A cable goes with the namespace that has its other end.
            with contextlib.suppress(HarnessError):
                ip(kind, "del", name)
        self.made = []
