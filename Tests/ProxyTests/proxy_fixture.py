"""What test_proxy.py puts around the proxy: a DNS server, gateways that do what they are told, and the proxy itself."""

import http.client
import json
import os
import random
import select
import shutil
import socket
import struct
import subprocess
import tempfile
import threading
import time

DEPLOYED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../deploy/proxy")
PROBLEM = "application/problem+json"


def eventually(what, condition, seconds=10.0):
    """Waits until `condition` gives something true, which it returns; fails with the last thing it gave."""
    end = time.monotonic() + seconds
    while True:
        last = condition()
        if last:
            return last
        if time.monotonic() > end:
            raise AssertionError(f"not within {seconds} s: {what}; the last was {last!r}")
        time.sleep(0.02)


class Names:
    """A DNS server on UDP that knows one name, whose addresses may change at any time."""

    def __init__(self, address="127.0.0.1", port=0):
        self.addresses = []
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind((address, port))
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            try:
                query, peer = self.socket.recvfrom(4096)
            except OSError:
                return
            end = 12
            while query[end]:
                end += query[end] + 1
            question, kind = query[12 : end + 5], struct.unpack(">H", query[end + 1 : end + 3])[0]
            found = [socket.inet_aton(address) for address in self.addresses] if kind == 1 else []
            code = 0x8180 if self.addresses else 0x8183
            answer = query[:2] + struct.pack(">HHHHH", code, 1, len(found), 0, 0) + question
            for address in found:
                answer += b"\xc0\x0c" + struct.pack(">HHIH", 1, 1, 0, 4) + address
            try:
                self.socket.sendto(answer, peer)
            except OSError:
                return

    def close(self):
        self.socket.close()


class Gateway:
    """One replica: notes what it was asked, and answers with its address and what it saw of the client."""

    def __init__(self, address, port):
        self.address = address
        self.is_ready = True
        self.hangs_up = False
        self.seen = []
        self.connections = 0
        self.open = set()
        self.listener = socket.create_server((address, port))
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            self.open.add(connection)
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        isCounted = False
        try:
            with connection, connection.makefile("rb") as lines:
                while True:
                    request = lines.readline().decode().split()
                    if not request:
                        return
                    fields = {}
                    while (line := lines.readline().decode().rstrip("\r\n")):
                        name, _, value = line.partition(":")
                        fields[name.lower()] = value.strip()
                    body = lines.read(int(fields.get("content-length", 0)))
                    if fields.get("transfer-encoding") == "chunked":
                        body = self.chunks(lines)
                    if request[1] == "/health/ready":
                        self.answer(connection, 200 if self.is_ready else 503, {})
                        continue
                    if not isCounted:
                        isCounted = True
                        self.connections += 1
                    self.seen.append((request[0], request[1], fields, body))
                    if self.hangs_up:
                        return
                    forwarded = fields.get("x-forwarded-for")
                    self.answer(connection, 200, {"by": self.address, "for": forwarded, "bytes": len(body)})
        except OSError:
            pass
        finally:
            self.open.discard(connection)

    @staticmethod
    def chunks(lines):
        body = b""
        while (size := int(lines.readline(), 16)):
            body += lines.read(size)
            lines.readline()
        lines.readline()
        return body

    @staticmethod
    def answer(connection, status, value):
        body = json.dumps(value).encode()
        connection.sendall(b"HTTP/1.1 %d X\r\nContent-Length: %d\r\n\r\n" % (status, len(body)) + body)

    def calls(self, method=None):
        return [call for call in self.seen if method in (None, call[0])]

    def die(self):
        """As a killed process: its port refuses, and open connections break off."""
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for connection in list(self.open):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


def free_port():
    """Returns a port that is free at every address. It is none of those that the kernel gives to connections, which
    could have it before the one who asked."""
    while True:
        port = random.randrange(20_000, 32_000)
        try:
            with socket.socket() as probe:
                probe.bind(("", port))
                return port
        except OSError:
            continue


class Proxy:
    """haproxy with the configuration of deploy/proxy. `resolv_conf` is a file that it gets in the place of the machine's; only root can."""

    def __init__(self, backends_port, resolver_port, resolv_conf=None, **more):
        self.port, self.health = free_port(), free_port()
        self.tls = more.get("PROXY_TLS") == "1"
        self.log = tempfile.TemporaryFile("w+")
        mount = 'mount --bind "$1" /etc/resolv.conf && shift && exec "$@"'
        own = ["unshare", "--mount", "sh", "-c", mount, "sh", resolv_conf] if resolv_conf else []
        self.process = subprocess.Popen(
            [*own, find(), "-db", "-f", os.path.join(DEPLOYED, "haproxy.cfg")],
            env={
                "PATH": os.environ["PATH"],
                "LD_LIBRARY_PATH": os.environ.get("UNPACKED_LIBRARIES", ""),
                "PROXY_BACKENDS": f"api-gateway:{backends_port}",
                "PROXY_RESOLVER": f"127.0.0.1:{resolver_port}",
                "PROXY_LISTEN": f"127.0.0.1:{self.port}",
                "PROXY_HEALTH": f"127.0.0.1:{self.health}",
                "PROXY_EXEMPT": os.path.join(DEPLOYED, "exempt"),
                **more,
            },
            stdout=self.log,
            stderr=self.log,
        )

    def ready(self):
        """Its own word, and its word about the number of gateways."""
        try:
            return self.ask("GET", "/health/ready", port=self.health)[0] == 200
        except OSError:
            return False

    def usable(self):
        """Gateways that are up, by its metrics."""
        try:
            text = self.ask("GET", "/metrics", port=self.health)[2].decode()
        except OSError:
            return -1
        prefix = 'haproxy_backend_active_servers{proxy="gateways"} '
        return next((int(line[len(prefix) :]) for line in text.splitlines() if line.startswith(prefix)), -1)

    def ask(self, method, path, body=None, headers=None, port=None, connection=None):
        """Status, header fields in lower case, body."""
        own = connection or http.client.HTTPConnection("127.0.0.1", port or self.port, timeout=20)
        try:
            own.request(method, path, body=body, headers=headers or {})
            answer = own.getresponse()
            return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
        finally:
            if connection is None:
                own.close()

    def metric(self, series):
        """The value of one series of its metrics; None when there is none."""
        text = self.ask("GET", "/metrics", port=self.health)[2].decode()
        return next((float(line.split()[-1]) for line in text.splitlines() if line.startswith(series + " ")), None)

    def connect(self, source):
        """A connection from that address on which one request was answered with 200, still open; None when it was refused."""
        connection = socket.socket()
        connection.settimeout(20)
        connection.bind((source, 0))
        try:
            connection.connect(("127.0.0.1", self.port))
            connection.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            answer = connection.recv(65536)
        except (ConnectionResetError, BrokenPipeError):
            answer = b""
        if not answer:
            connection.close()
            return None
        assert answer.startswith(b"HTTP/1.1 200 "), answer[:80]
        return connection

    def raw(self, data, source="127.0.0.1"):
        with socket.create_connection(("127.0.0.1", self.port), timeout=20, source_address=(source, 0)) as connection:
            connection.sendall(data)
            answer = b""
            while select.select([connection], [], [], 20)[0] and (part := connection.recv(65536)):
                answer += part
            return answer

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.log.close()

    def lines(self):
        self.log.seek(0)
        return self.log.read()


def find():
    path = os.environ.get("HAPROXY") or shutil.which("haproxy") or shutil.which("haproxy", path="/usr/sbin")
    if not path:
        raise SystemExit("haproxy is not installed: apt-get install haproxy, or HAPROXY=/path/to/it")
    return path
