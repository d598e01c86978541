#!/usr/bin/env python3
"""Holds slow connections against a gateway, and measures what other clients notice of them.

    slow.py --port 8080 [--connections 1000] [--within 60] [--bearer TOKEN] [--path PATH]

A third send a header byte by byte, a third a body; of the last third half ask for something and do not read, half never
send anything. Each must be closed within so many seconds of its opening: 60 by a gateway, 15 by the proxy in front; measuring
it has a tolerance of 1 s. The end of a connection stands behind what was not read, so those who did not read do it when that time
is over: by then the connection was given up if it ends before all that was asked for has come. Meanwhile 8 keep-alive connections ask for PATH (by default /matches/live with a bearer, else /app/config): 99 of 100 answers must
come within 100 ms. Slow connections come from many addresses (127.0.0.0/8), so that it is the deadlines that close them
and not the limit per client. Those that measure come from addresses of their own, and ask no more often than the rate
limits allow (600 calls a minute from an address, 300 of a user's): more bearers, more requests. With LAB_GATEWAY_PID in the
environment that process has at most 512 MiB at any time, what a container of it gets.

Progress goes to standard error; one line of JSON comes last. The exit status is 0 only when the goal is met.
"""

import argparse
import asyncio
import heapq
import json
import multiprocessing
import os
import resource
import select
import socket
import sys
import time

TOLERANCE = 1.0
P99_MS = 100.0
MEMORY_MIB = 512
# Below the gateway's limit of 256 per client.
PER_ADDRESS = 50
DRIBBLE = 0.4
# How long a run takes at most, and what one user or address may ask for in it.
RUN = 90.0
CALLS_OF_USER = 300
CALLS_OF_ADDRESS = 600
# Answers of a hundred kilobytes that are asked for and not read: more than the kernels on the way hold for a client.
UNREAD = 8
KINDS = ["header", "body", "unread", "silent"]


def kind_of(number):
    return KINDS[number % 3] if number % 3 < 2 else KINDS[2 + number // 3 % 2]


class Slow:
    """One slow connection."""

    def __init__(self, args, number):
        self.kind = kind_of(number)
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        if self.kind == "unread":
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        place = number // PER_ADDRESS
        self.socket.bind((f"127.1.{1 + place // 250}.{1 + place % 250}", 0))
        self.socket.settimeout(5)
        self.socket.connect((args.host, args.port))
        self.opened = time.monotonic()
        self.socket.setblocking(False)
        first = {"header": b"GET /health/live HTTP/1.1\r\nHost: a\r\nX-Slow: ",
                 "body": b"POST /devices HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
                         b"Content-Length: 10000\r\n\r\n{",
                 "unread": f"GET {args.unread} HTTP/1.1\r\nHost: a\r\n\r\n".encode() * UNREAD, "silent": b""}
        # Of a header every byte comes by itself.
        self.rest = first[self.kind] if self.kind == "header" else b""
        if self.kind in ("body", "unread"):
            self.socket.send(first[self.kind])
        self.dribbles = self.kind in ("header", "body")

    def send_next(self):
        """The next byte; false when the connection is gone."""
        byte, self.rest = self.rest[:1] or b" ", self.rest[1:]
        try:
            self.socket.send(byte)
        except BlockingIOError:
            pass
        except OSError:
            return False
        return True

    def was_given_up(self):
        """Whether there is an end to what it did not read before all that it asked for."""
        came = b""
        self.socket.settimeout(2)
        try:
            while more := self.socket.recv(1 << 20):
                came += more
        except ConnectionResetError:
            pass
        except OSError:
            return False
        return came.count(b"HTTP/1.1 200") < UNREAD


def hold(args, results):
    """Opens the slow connections and waits for their ends, in a process of its own, so that it slows nobody who measures.

    The end is seen as it comes, EPOLLRDHUP, even by those who do not read if it is a reset."""
    poll, open_ones, due, closed, failed = select.epoll(), {}, [], [], []
    number, latest = 0, time.monotonic() + 120

    def end(fd):
        slow = open_ones.pop(fd)
        closed.append((slow.kind, time.monotonic() - slow.opened))
        slow.socket.close()

    said = time.monotonic()
    while (number < args.connections or open_ones) and time.monotonic() < latest:
        for _ in range(min(10, args.connections - number)):
            try:
                slow = Slow(args, number)
                fd = slow.socket.fileno()
                open_ones[fd] = slow
                poll.register(fd, select.EPOLLRDHUP)
                if slow.dribbles:
                    heapq.heappush(due, (time.monotonic(), number, fd))
            except OSError as error:
                failed.append(str(error))
            number += 1
            latest = time.monotonic() + args.within + TOLERANCE
        while due and due[0][0] <= time.monotonic():
            _, order, fd = heapq.heappop(due)
            if fd in open_ones:
                if open_ones[fd].send_next():
                    heapq.heappush(due, (time.monotonic() + DRIBBLE, order, fd))
                else:
                    end(fd)
        pause = min(0.05, max(0.0, due[0][0] - time.monotonic())) if due else 0.05
        for fd, _ in poll.poll(0.002 if number < args.connections else pause):
            if fd in open_ones:
                end(fd)
        if time.monotonic() - said > 4:
            said = time.monotonic()
            print(f"{number} opened, {len(closed)} closed by the gateway", file=sys.stderr)
    closed += [(slow.kind, args.within if slow.kind == "unread" and slow.was_given_up() else float("inf"))
               for slow in open_ones.values()]
    results.send((closed, failed))


class Other:
    """A client that behaves: keep-alive, one request after the other, a pause between them."""

    def __init__(self, args, number):
        self.args = args
        self.bearer = args.bearer[number % len(args.bearer)] if args.bearer else None
        self.source = f"127.2.0.{1 + number}"
        self.times = []
        self.failures = []

    async def run(self, until):
        head = f"GET {self.args.path} HTTP/1.1\r\nHost: a\r\n"
        if self.bearer:
            head += f"Authorization: Bearer {self.bearer}\r\n"
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
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 99.0


async def run(args):
    over = asyncio.Event()
    others = [Other(args, number) for number in range(args.others)]
    measuring = [asyncio.create_task(other.run(over)) for other in others]
    # What the same clients see without the slow ones, for comparison.
    await asyncio.sleep(3)
    before = [t for other in others for t in other.times]
    for other in others:
        other.times = []
    here, there = multiprocessing.Pipe()
    process = multiprocessing.Process(target=hold, args=(args, there))
    process.start()
    while process.is_alive() and not here.poll():
        await asyncio.sleep(0.1)
    over.set()
    closed, failed = here.recv() if here.poll() else ([], ["the process that holds them died"])
    process.join()
    await asyncio.gather(*measuring)
    return finish(args, closed, failed, others, before)


def finish(args, closed, failed, others, before):
    worst = {kind: max((seconds for k, seconds in closed if k == kind), default=0) for kind in KINDS}
    for failure in sorted(set(failed)):
        print(f"could not connect: {failure}", file=sys.stderr)
    times = [t for other in others for t in other.times]
    failures = [f for other in others for f in other.failures]
    for failure in sorted(set(failures))[:10]:
        print(f"another client's failure: {failure} ({failures.count(failure)} times)", file=sys.stderr)
    within = max(worst.values())
    p99, memory = percentile(times, 0.99) * 1000, peak_memory()
    met = len(closed) == args.connections and within <= args.within + TOLERANCE and p99 < P99_MS and not failures
    met = met and (memory is None or memory <= MEMORY_MIB)
    print(json.dumps({
        "check": "slow", "connections": args.connections, "opened": len(closed), "closedWithinSeconds": seconds(within),
        "closedWithinByKind": {kind: seconds(worst[kind]) for kind in KINDS}, "toleranceSeconds": TOLERANCE,
        "path": args.path, "requests": len(times), "failures": len(failures), "memoryMiB": memory,
        "p50Ms": round(percentile(times, 0.5) * 1000, 2), "p99Ms": round(p99, 2),
        "p99MsWithout": round(percentile(before, 0.99) * 1000, 2), "met": met}))
    return 0 if met else 1


def peak_memory():
    """Of the gateway, in MiB; None when it is not known which process that is."""
    pid = os.environ.get("LAB_GATEWAY_PID")
    if not pid:
        return None
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) // 1024 for line in status if line.startswith("VmHWM:"))


def seconds(value):
    """JSON has no infinity: null is a connection that was never closed."""
    return round(value, 2) if value != float("inf") else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--connections", type=int, default=1000)
    parser.add_argument("--within", type=float, default=60, metavar="SECONDS", help="each is closed within this time")
    parser.add_argument("--bearer", action="append", help="a user's token; may be given several times")
    parser.add_argument("--path", help="what the other clients ask for")
    parser.add_argument("--unread", default="/openapi.json", help="what those ask for that do not read")
    parser.add_argument("--others", type=int, default=8, help="clients that behave")
    parser.add_argument("--pause", type=float, help="seconds between a client's requests")
    args = parser.parse_args()
    if args.pause is None:
        sharing = -(-args.others // len(args.bearer)) if args.bearer else 1
        args.pause = RUN * sharing / (CALLS_OF_USER if args.bearer else CALLS_OF_ADDRESS)
    args.path = args.path or ("/matches/live" if args.bearer else "/app/config")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    sys.exit(asyncio.run(run(args)))


if __name__ == "__main__":
    main()
