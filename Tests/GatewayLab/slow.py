#!/usr/bin/env python3
"""Holds slow connections against a gateway, and measures what other clients notice of them.

    slow.py --port 8080 [--connections 1000] [--bearer TOKEN] [--path PATH]

A third send a header byte by byte, a third a body; of the last third half ask for something and never read, half never
send anything. The gateway must close each within 15 s of its opening; measuring it has a tolerance of 1 s. Meanwhile 8
keep-alive connections ask for PATH (by default /matches/live with a bearer, else /app/config): 99 of 100 answers must
come within 100 ms. Slow connections come from many addresses (127.0.0.0/8), so that it is the deadlines that close them
and not the limit per client; those that measure come from addresses of their own.

Progress goes to standard error; one line of JSON comes last. The exit status is 0 only when the goal is met.
"""

import argparse
import asyncio
import json
import resource
import socket
import sys
import time

CLOSED_WITHIN = 15.0
TOLERANCE = 1.0
P99_MS = 100.0
# Below the gateway's limit of 256 per client.
PER_ADDRESS = 50
DRIBBLE = 0.4
KINDS = ["header", "body", "unread", "silent"]


def kind_of(number):
    return KINDS[number % 3] if number % 3 < 2 else KINDS[2 + number // 3 % 2]


class Slow:
    """One slow connection. Its end is seen as it happens, also by a client that never reads."""

    def __init__(self, args, number):
        self.kind = kind_of(number)
        self.args = args
        self.source = f"127.1.{1 + number // PER_ADDRESS // 250}.{1 + number // PER_ADDRESS % 250}"
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self.socket.setblocking(False)
        if self.kind == "unread":
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        self.socket.bind((self.source, 0))
        self.opened = None
        self.closed_after = None
        self.failed = None

    async def run(self):
        loop = asyncio.get_running_loop()
        try:
            await loop.sock_connect(self.socket, (self.args.host, self.args.port))
        except OSError as error:
            self.failed = str(error)
            return
        self.opened = time.monotonic()
        sending = asyncio.create_task(self.send(loop))
        limit = self.opened + CLOSED_WITHIN + TOLERANCE + 10
        try:
            while time.monotonic() < limit:
                if await self.is_closed(loop):
                    self.closed_after = time.monotonic() - self.opened
                    return
                await asyncio.sleep(0.1)
        finally:
            sending.cancel()
            self.socket.close()

    async def is_closed(self, loop):
        # 8 and above in tcpi_state: CLOSE_WAIT, LAST_ACK, LISTEN, CLOSING; 7: CLOSE. The server's FIN or RST is here.
        state = self.socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0]
        if state in (7, 8, 9, 11):
            return True
        if self.kind in ("header", "body"):
            try:
                return self.socket.recv(4096) == b""
            except BlockingIOError:
                return False
            except OSError:
                return True
        return False

    async def send(self, loop):
        try:
            if self.kind == "header":
                await self.dribble(loop, b"GET /health/live HTTP/1.1\r\nHost: a\r\nX-Slow: " + b"a" * 1000)
            elif self.kind == "body":
                await loop.sock_sendall(
                    self.socket, b"POST /devices HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
                    b"Content-Length: 10000\r\n\r\n{")
                await self.dribble(loop, b" " * 1000)
            elif self.kind == "unread":
                await loop.sock_sendall(
                    self.socket, f"GET {self.args.unread} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
        except (OSError, asyncio.CancelledError):
            pass

    async def dribble(self, loop, data):
        for byte in data:
            await loop.sock_sendall(self.socket, bytes([byte]))
            await asyncio.sleep(DRIBBLE)


class Other:
    """A client that behaves: keep-alive, one request after the other, a pause between them."""

    def __init__(self, args, number):
        self.args = args
        self.source = f"127.2.0.{1 + number}"
        self.times = []
        self.failures = []

    async def run(self, until):
        head = f"GET {self.args.path} HTTP/1.1\r\nHost: a\r\n"
        if self.args.bearer:
            head += f"Authorization: Bearer {self.args.bearer}\r\n"
        ask = (head + "\r\n").encode()
        writer = None
        while not until.is_set():
            try:
                if writer is None:
                    reader, writer = await asyncio.open_connection(
                        self.args.host, self.args.port, local_addr=(self.source, 0))
                begun = time.monotonic()
                writer.write(ask)
                head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 30)
                length = next((int(line.split(b":")[1]) for line in head.split(b"\r\n")
                               if line.lower().startswith(b"content-length:")), 0)
                await reader.readexactly(length)
                self.times.append(time.monotonic() - begun)
                if b" 200 " not in head.split(b"\r\n")[0]:
                    self.failures.append(head.split(b"\r\n")[0].decode())
            except (OSError, EOFError, TimeoutError) as error:
                self.failures.append(type(error).__name__)
                writer = None
                await asyncio.sleep(0.1)
            await asyncio.sleep(self.args.pause)
        if writer is not None:
            writer.close()


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else float("inf")


async def run(args):
    over = asyncio.Event()
    others = [Other(args, number) for number in range(args.others)]
    measuring = [asyncio.create_task(other.run(over)) for other in others]
    # What the same clients see without the slow ones, for comparison.
    await asyncio.sleep(3)
    before = [t for other in others for t in other.times]
    for other in others:
        other.times = []
    slow = [Slow(args, number) for number in range(args.connections)]
    print(f"opening {len(slow)} slow connections", file=sys.stderr)
    tasks = []
    for number, connection in enumerate(slow):
        tasks.append(asyncio.create_task(connection.run()))
        if number % 50 == 49:
            await asyncio.sleep(0.02)
    for second in range(4, 40, 4):
        done, waiting = await asyncio.wait(tasks, timeout=4)
        closed = sum(1 for s in slow if s.closed_after is not None)
        print(f"after {second} s: {closed} closed, {len(waiting)} waiting", file=sys.stderr)
        if not waiting:
            break
    await asyncio.gather(*tasks)
    over.set()
    await asyncio.gather(*measuring)
    return finish(args, slow, others, before)


def finish(args, slow, others, before):
    worst = {kind: round(max((s.closed_after or 999 for s in slow if s.kind == kind and s.opened), default=0), 2)
             for kind in KINDS}
    for failed in {s.failed for s in slow if s.failed}:
        print(f"could not connect: {failed}", file=sys.stderr)
    times = [t for other in others for t in other.times]
    failures = [f for other in others for f in other.failures]
    for failure in sorted(set(failures))[:10]:
        print(f"another client's failure: {failure} ({failures.count(failure)} times)", file=sys.stderr)
    opened = sum(1 for s in slow if s.opened)
    within = max(worst.values())
    p99 = percentile(times, 0.99) * 1000
    met = opened == args.connections and within <= CLOSED_WITHIN + TOLERANCE and p99 < P99_MS and not failures
    print(json.dumps({
        "check": "slow", "connections": args.connections, "opened": opened, "closedWithinSeconds": within,
        "closedWithinByKind": worst, "toleranceSeconds": TOLERANCE, "path": args.path, "requests": len(times),
        "failures": len(failures), "p50Ms": round(percentile(times, 0.5) * 1000, 2), "p99Ms": round(p99, 2),
        "p99MsWithout": round(percentile(before, 0.99) * 1000, 2), "met": met}))
    return 0 if met else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--connections", type=int, default=1000)
    parser.add_argument("--bearer")
    parser.add_argument("--path", help="what the other clients ask for")
    parser.add_argument("--unread", default="/", help="what those ask for that do not read")
    parser.add_argument("--others", type=int, default=8, help="clients that behave")
    parser.add_argument("--pause", type=float, default=0.01, help="seconds between a client's requests")
    args = parser.parse_args()
    args.path = args.path or ("/matches/live" if args.bearer else "/app/config")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    sys.exit(asyncio.run(run(args)))


if __name__ == "__main__":
    main()
