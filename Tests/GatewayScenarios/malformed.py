#!/usr/bin/env python3
"""Sends malformed requests to a gateway: each must be answered or its connection closed, and the process must live.

    malformed.py --port 8080 [--host 127.0.0.1] [--count 20000] [--seed 1] [--workers 64]

Every request is a mutation of a well-formed one, made from the seed; "--only N" sends the N-th alone and shows it.
Progress goes to standard error; one line of JSON comes last. The exit status is 0 only when the goal is met:
no connection hangs for 20 s, no status is 5xx other than 503, and GET /health/live is 200 afterwards.
"""

import argparse
import asyncio
import json
import random
import sys
import time

HANGS_AFTER = 20.0
ALLOWED_5XX = {503}
PATHS = ["/health/live", "/", "/app/config", "/matches", "/matches/live", "/matches/1304076", "/user/follows",
         "/devices", "/user/follow/match", "/matches/1304076/activity-token", "/health/ready", "/nothing"]
METHODS = ["GET", "GET", "GET", "POST", "POST", "DELETE", "PATCH", "PUT", "HEAD", "OPTIONS", "TRACE", "CONNECT", "FOO"]
FIELDS = ["Content-Length: 5", "Content-Length: 0", "Content-Length: -1", "Content-Length: 99999999999999999999",
          "Content-Length: 5, 6", "Content-Length : 5", "Transfer-Encoding: chunked", "Transfer-Encoding: identity",
          "Transfer-Encoding: chunked, gzip", "Transfer-Encoding : chunked", "Transfer-Encoding:\x0bchunked",
          "Host: b", "Host:", "Host: a/b", "Expect: 100-continue", "Expect: x", "Upgrade: h2c", "Upgrade: websocket",
          "Connection: Upgrade, HTTP2-Settings", "Connection: close", "Connection: keep-alive",
          "HTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA", "Authorization: Bearer x", "Authorization: Bearer a.b.c",
          "X-Forwarded-For: 1.2.3.4, , unknown", "X-HTTP-Method-Override: DELETE", "Content-Type: application/json",
          "Content-Encoding: gzip", "Range: bytes=0-0", "If-None-Match: *", "Cookie: a=b", "X\0: y", "X: \0", ": y",
          " folded", "\tfolded", "no colon", "X: a\rY: b", "X: a\nY: b", "X-Long: " + "a" * 20000, "Trailer: X"]


def well_formed(rng):
    """A request that a client might send."""
    method, path = rng.choice(METHODS[:9]), rng.choice(PATHS)
    if rng.random() < 0.3:
        path += "?" + rng.choice(["date=2026-03-01", "status=live", "limit=5&offset=2", "a=b&c", "%41=%42"])
    head = [f"{method} {path} HTTP/1.1", "Host: gateway"]
    body = b""
    if method in ("POST", "PATCH", "PUT", "DELETE") and rng.random() < 0.8:
        body = rng.choice([b'{"matchId":"1304076"}', b'{"deviceId":"a","platform":"ios"}', b"{}", b"[1,2,3]",
                           b'{"activityToken":"' + b"ab" * 64 + b'"}'])
        head.append("Content-Type: application/json")
        if rng.random() < 0.4:
            head.append("Transfer-Encoding: chunked")
            cut = rng.randrange(len(body) + 1)
            body = b"".join(b"%x\r\n%s\r\n" % (len(p), p) for p in (body[:cut], body[cut:]) if p) + b"0\r\n\r\n"
        else:
            head.append(f"Content-Length: {len(body)}")
    for _ in range(rng.randrange(4)):
        head.append(rng.choice(["Accept: */*", "User-Agent: lab", "Accept-Encoding: gzip", "X-Request-ID: abc"]))
    return ("\r\n".join(head) + "\r\n\r\n").encode(), body


# Each takes the generator, the head and the body, and gives the bytes to send.

def truncated(rng, head, body):
    whole = head + body
    return whole[:rng.randrange(len(whole))]


def flipped(rng, head, body):
    whole = bytearray(head + body)
    for _ in range(rng.randrange(1, 6)):
        whole[rng.randrange(len(whole))] ^= 1 << rng.randrange(8)
    return bytes(whole)


def replaced(rng, head, body):
    whole = bytearray(head + body)
    for _ in range(rng.randrange(1, 4)):
        whole[rng.randrange(len(whole))] = rng.choice([0, 9, 10, 11, 13, 32, 35, 37, 58, 59, 127, 128, 195, 255])
    return bytes(whole)


def inserted(rng, head, body):
    whole = head + body
    at = rng.randrange(len(whole) + 1)
    return whole[:at] + rng.choice([b"\0", b"\r", b"\n", b"\r\n", b"\r\n\r\n", b" ", b"\t", b":", b"\xff", b"%00"]) + whole[at:]


def injected(rng, head, body):
    lines = head[:-4].split(b"\r\n")
    for _ in range(rng.randrange(1, 4)):
        lines.insert(rng.randrange(1, len(lines) + 1), rng.choice(FIELDS).encode("latin-1"))
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


def without_a_line(rng, head, body):
    lines = head[:-4].split(b"\r\n")
    del lines[rng.randrange(len(lines))]
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


def other_line_ends(rng, head, body):
    return head.replace(b"\r\n", rng.choice([b"\n", b"\r", b"\r\r\n", b"\n\r", b"\r\n "])) + body


def other_first_line(rng, head, body):
    method = rng.choice(METHODS + ["get", "", "G E T", "G\0T", "PRI", "A" * rng.randrange(1, 300)])
    target = rng.choice(PATHS + ["*", "", "http://a/", "a:443", "//", "/./", "/%2e%2e/", "/%00", "/;x", "/#x", "/\\",
                                 "/é", "/" + "a" * rng.randrange(1, 5000), "/?" + "a=b&" * rng.randrange(1, 900)])
    version = rng.choice(["HTTP/1.1", "HTTP/1.0", "HTTP/0.9", "HTTP/1.2", "HTTP/2.0", "HTTP/9.9", "http/1.1", "", "X",
                          "HTTP/1.1 ", "HTTP/11", "HTTP/1.1\t"])
    line = rng.choice([" ", "  ", "\t", ""]).join([method, target, version]) if rng.random() < 0.2 \
        else f"{method} {target} {version}"
    return line.encode() + head[head.index(b"\r\n"):] + body


def huge(rng, head, body):
    size = rng.choice([15000, 16384, 17000, 40000, 200000])
    kind = rng.randrange(6)
    if kind == 0:
        return head[:-2] + b"X: " + b"a" * size + b"\r\n\r\n" + body
    if kind == 1:
        return head[:-2] + b"X: y\r\n" * (size // 100) + b"\r\n" + body
    if kind == 2:
        return b"GET /" + b"a" * size
    if kind == 3:
        return head[:-2] + b"a" * size
    if kind == 4:
        return b"POST /devices HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % size + b"a" * size
    return b"A" * size


def bad_chunks(rng, head, body):
    start = b"POST %s HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" % rng.choice(PATHS).encode()
    sizes = [b"5", b"0", b"-1", b"+5", b" 5", b"5 ", b"0x5", b"g", b"", b"ffffffffffffffff", b"100000000", b"4001",
             b"5;a=b", b"5;" + b"a" * 300, b"5\0", b"5;\r", b"00000005", b"000000000005"]
    pieces = [rng.choice(sizes) + rng.choice([b"\r\n", b"\r\n", b"\r\n", b"\n", b""])
              + rng.choice([b"hello", b"hell", b"hello!", b"", b"x" * 5000]) + rng.choice([b"\r\n", b"\r\n", b"\n", b""])
              for _ in range(rng.randrange(1, 6))]
    end = rng.choice([b"0\r\n\r\n", b"0\r\n", b"", b"0\r\nX: y\r\n\r\n", b"0\r\nContent-Length: 4\r\n\r\n",
                      b"0\r\n" + b"X: y\r\n" * 500 + b"\r\n"])
    return start + b"".join(pieces) + end


def smuggled(rng, head, body):
    inner = b"GET /user/follows HTTP/1.1\r\nHost: a\r\n\r\n"
    fields = rng.choice([
        b"Content-Length: 4\r\nTransfer-Encoding: chunked", b"Transfer-Encoding: chunked\r\nContent-Length: %d" % len(inner),
        b"Content-Length: 0\r\nContent-Length: %d" % len(inner), b"Content-Length: 0, %d" % len(inner),
        b"Transfer-Encoding: xchunked", b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
        b"Transfer-Encoding:\r\n chunked", b"Content-Length: 5\r\n\tfoo", b"X: y\r\n\r\n" + inner + b"X: y"])
    return b"POST /devices HTTP/1.1\r\nHost: a\r\n" + fields + b"\r\n\r\n" + rng.choice([b"0\r\n\r\n", b"", b"5\r\nhello\r\n"]) + inner


def binary(rng, head, body):
    return rng.randbytes(rng.choice([1, 2, 10, 100, 1000, 20000]))


def printable(rng, head, body):
    return bytes(rng.choice(b" !\"#$%&'()*+,-./0123456789:;<=>?@AZ[\\]^_`az{|}~\r\n") for _ in range(rng.randrange(1, 500)))


def other_protocol(rng, head, body):
    hello = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + rng.randbytes(32) + b"\x20" + rng.randbytes(500)
    preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\x00\x00\x00\x04\x00\x00\x00\x00\x00"
    return rng.choice([hello, preface, preface[:rng.randrange(1, len(preface))], b"SSH-2.0-OpenSSH_9.2\r\n",
                       b"EHLO a\r\n", b"\x00\x00\x00\x08\x04\xd2\x16\x2f", b"*1\r\n$4\r\nPING\r\n", b"{\"a\":1}\n",
                       b"PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r\n" + head, b"\x05\x01\x00", b"GET / ICY/1.0\r\n\r\n",
                       b"RTSP/1.0 200 OK\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"])


def doubled(rng, head, body):
    good = b"GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n"
    return good * rng.randrange(1, 4) + mutation(rng)(rng, head, body) + good


MUTATIONS = [truncated, flipped, flipped, replaced, replaced, inserted, inserted, injected, injected, without_a_line,
             other_line_ends, other_first_line, other_first_line, huge, bad_chunks, bad_chunks, smuggled, binary,
             printable, other_protocol, doubled]


def mutation(rng):
    return rng.choice(MUTATIONS[:-1])


def request(seed, number):
    """The request of this number, how it is cut into writes, and whether the client ends its side after it."""
    rng = random.Random(f"{seed}/{number}")
    head, body = well_formed(rng)
    change = MUTATIONS[number % len(MUTATIONS)] if number < 10 * len(MUTATIONS) else rng.choice(MUTATIONS)
    data = change(rng, head, body)
    if rng.random() < 0.15 and data:
        cuts = sorted(rng.randrange(len(data) + 1) for _ in range(rng.randrange(1, 4)))
        pieces = [data[a:b] for a, b in zip([0] + cuts, cuts + [len(data)]) if a < b]
    else:
        pieces = [data]
    # Most clients wait for the answer; the others end their side, and still read.
    return change.__name__, pieces, rng.random() < 0.5


def statuses(data):
    """Of all answers in the bytes, as far as they can be told apart."""
    found = []
    while data.startswith(b"HTTP/1."):
        end = data.find(b"\r\n\r\n")
        if end < 0:
            break
        head = data[:end].split(b"\r\n")
        status = int(head[0].split(b" ")[1])
        found.append(status)
        length = 0
        for line in head[1:]:
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        rest = data[end + 4:]
        # HEAD has a length and no body.
        data = rest if rest.startswith(b"HTTP/1.") else rest[length:]
    return found


class Tally:
    def __init__(self):
        self.answered = self.closed = self.hung = self.server_errors = self.refused = 0
        self.by_status = {}
        self.examples = []

    def note(self, number, name, outcome, found):
        for status in found:
            self.by_status[status] = self.by_status.get(status, 0) + 1
        bad = [s for s in found if s >= 500 and s not in ALLOWED_5XX]
        self.server_errors += len(bad)
        if outcome == "hung":
            self.hung += 1
        elif found:
            self.answered += 1
        else:
            self.closed += 1
        if (bad or outcome == "hung") and len(self.examples) < 10:
            self.examples.append({"number": number, "mutation": name, "outcome": outcome, "statuses": found})


async def send(args, number, tally):
    name, pieces, ends = request(args.seed, number)
    deadline = time.monotonic() + HANGS_AFTER
    data, outcome, writer = b"", "closed", None
    try:
        async with asyncio.timeout(HANGS_AFTER):
            source = f"127.0.{1 + number % 8}.{1 + number % 250}" if args.host.startswith("127.") else None
            reader, writer = await asyncio.open_connection(
                args.host, args.port, local_addr=(source, 0) if source else None)
            try:
                for piece in pieces:
                    writer.write(piece)
                    await writer.drain()
                    if len(pieces) > 1:
                        await asyncio.sleep(0.01)
                if ends:
                    writer.write_eof()
            except (ConnectionError, OSError):
                pass
            while chunk := await reader.read(65536):
                data += chunk
                # An answer that keeps the connection open is an answer; we do not wait until it is idle.
                if not ends and statuses(data):
                    outcome = "answered"
                    break
    except (ConnectionError, OSError):
        pass
    except TimeoutError:
        outcome = "hung"
    finally:
        if writer is not None:
            writer.close()
    if time.monotonic() > deadline and outcome == "closed" and not data:
        outcome = "hung"
    tally.note(number, name, outcome, statuses(data))


async def is_alive(args):
    try:
        async with asyncio.timeout(5):
            reader, writer = await asyncio.open_connection(args.host, args.port)
            writer.write(b"GET /health/live HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            data = await reader.read()
            writer.close()
            return statuses(data) == [200]
    except (OSError, TimeoutError):
        return False


async def run(args):
    tally = Tally()
    if not await is_alive(args):
        print("nothing answers GET /health/live there", file=sys.stderr)
        return finish(args, tally, 0, False)
    numbers = iter(range(args.count))
    done = 0

    async def worker():
        nonlocal done
        for number in numbers:
            await send(args, number, tally)
            done += 1
            if done % 2000 == 0:
                print(f"{done} of {args.count} sent: {tally.answered} answered, {tally.closed} closed, {tally.hung} hung",
                      file=sys.stderr)

    begun = time.monotonic()
    await asyncio.gather(*(worker() for _ in range(args.workers)))
    return finish(args, tally, time.monotonic() - begun, await is_alive(args))


def finish(args, tally, seconds, alive):
    for example in tally.examples:
        print(json.dumps(example), file=sys.stderr)
    print("statuses: " + json.dumps(dict(sorted(tally.by_status.items()))), file=sys.stderr)
    handled = tally.answered + tally.closed
    met = alive and tally.hung == 0 and tally.server_errors == 0 and handled == args.count
    print(json.dumps({"check": "malformed", "count": args.count, "seed": args.seed, "answered": tally.answered,
                      "closed": tally.closed, "hung": tally.hung, "serverErrors": tally.server_errors,
                      "seconds": round(seconds, 1), "alive": alive, "met": met}))
    return 0 if met else 1


def show(args):
    name, pieces, ends = request(args.seed, args.only)
    print(f"{name}, {'ends' if ends else 'waits'}", file=sys.stderr)
    for piece in pieces:
        print(piece, file=sys.stderr)
    tally = Tally()
    asyncio.run(send(args, args.only, tally))
    print(json.dumps({"number": args.only, "statuses": tally.by_status, "hung": tally.hung}))
    return 0 if tally.hung == 0 and tally.server_errors == 0 else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--count", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=64, help="connections at once")
    parser.add_argument("--only", type=int, help="send only the request of this number, and show it")
    args = parser.parse_args()
    sys.exit(show(args) if args.only is not None else asyncio.run(run(args)))


if __name__ == "__main__":
    main()
