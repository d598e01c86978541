"""How long a coordinator takes to take over all activities of a match from PostgreSQL, beside psql reading the same rows:
a part of `deploy/bench fanout`."""

import contextlib
import json
import statistics
import subprocess
import sys
import time

from bench_suite import Database
from harness import postgres_program, say

SECONDS_MAX = 10
# Of the time that psql takes to read the same rows.
RATIO_MAX = 2
# Of memory, for a phone, with all that came with it. Pages of rows are half empty when the phones are few.
BYTES_MAX, PHONES_MIN = 200, 1_000_000
ROUNDS = 3
# With encrypted tokens, of the time that tokens in clear take.
ENCRYPTED_MAX = 1.2
# What a coordinator knows of an activity (ActivityStore.recordColumns).
PLAIN = """
    COPY (SELECT la.match_id, la.user_id, la.device_id, la.generation, la.route, la.status, la.update_token,
            coalesce(extract(epoch FROM la.token_at), 0)::double precision, coalesce(d.environment, 'production'),
            coalesce(f.alerts, 'none')
        FROM live_activities la
        LEFT JOIN devices d ON d.user_id = la.user_id AND d.device_id = la.device_id
        LEFT JOIN match_follows f ON f.user_id = la.user_id AND f.match_id = la.match_id
        WHERE la.status = 'active') TO STDOUT"""


def is_small(size, phones):
    return size <= BYTES_MAX or phones < PHONES_MIN


def psql(database):
    server = database.server_seconds()
    began = time.monotonic()
    subprocess.run(
        [postgres_program("psql"), "-XAtq", "-v", "ON_ERROR_STOP=1", "-d", database.database_url, "-c", PLAIN], check=True,
        stdout=subprocess.DEVNULL)
    return {"seconds": time.monotonic() - began, "serverSeconds": database.server_seconds() - server}


def coordinator(database, phones, key_file=None):
    server = database.server_seconds()
    output = subprocess.run(
        [database.binaries / "fanout-lab", "roster", "--database", database.database_url, "--phones", str(phones), "--key",
         f"{database.folder}/secrets/apns.p8", *(["--key-file", key_file] if key_file else [])],
        check=True, capture_output=True, text=True).stdout
    result = json.loads(output.strip().splitlines()[-1])
    if result["phones"] != phones:
        sys.exit(f"the coordinator did not take all phones: {result}")
    return result | {"serverSeconds": database.server_seconds() - server}


def measure(binaries, phones):
    """Both in turns on one PostgreSQL that loses nothing, and the coordinator on another one whose tokens are encrypted.

    Returns the medians; `met` says whether all were taken over in ten seconds and twice psql's time, and are small."""
    with contextlib.ExitStack() as stack:
        servers = []
        for _ in range(2):
            servers.append(stack.enter_context(Database(binaries)))
            say(f"{phones} activities in PostgreSQL …")
            subprocess.run(
                [f"{binaries}/fanout-lab", "roster-seed", "--database", servers[-1].database_url, "--phones", str(phones)],
                check=True)
        clear, encrypted = servers
        token_keys, encryption = encrypted.encrypt()
        say(f"  encrypted in {encryption:.1f} s")
        encrypted.sql("VACUUM FULL live_activities")
        for server in servers:
            server.sql("VACUUM ANALYZE")
            server.settle()
        theirs, ours, sealed = [], [], []
        for turn in range(ROUNDS):
            theirs.append(psql(clear))
            ours.append(coordinator(clear, phones))
            sealed.append(coordinator(encrypted, phones, token_keys))
            say(f"  roster {turn + 1} of {ROUNDS}: psql {theirs[-1]['seconds']:.2f} s   coordinator"
                f" {ours[-1]['seconds']:.2f} s, {ours[-1]['processorSeconds']:.2f} s of processor time and PostgreSQL's"
                f" {ours[-1]['serverSeconds']:.2f} s, {ours[-1]['bytes']:.0f} bytes a phone, peak {ours[-1]['peakMiB']} MiB;"
                f" encrypted {sealed[-1]['seconds']:.2f} s, {sealed[-1]['processorSeconds']:.2f} s")

    def median(rows, key):
        return statistics.median(row[key] for row in rows)

    seconds, size = median(ours, "seconds"), median(ours, "bytes")
    ratio = statistics.median(o["seconds"] / t["seconds"] for o, t in zip(ours, theirs))
    encrypted_ratio = statistics.median(s["seconds"] / o["seconds"] for s, o in zip(sealed, ours))
    return {
        "encryptedSeconds": round(median(sealed, "seconds"), 2), "encryptedRatio": round(encrypted_ratio, 2),
        "encryptionSeconds": round(encryption, 1), "seconds": round(seconds, 2), "psqlSeconds": round(median(theirs, "seconds"), 2),
        "ratio": round(ratio, 2),
        "processorSeconds": round(median(ours, "processorSeconds"), 2),
        "postgresSeconds": round(median(ours, "serverSeconds"), 2), "bytes": size,
        "peakMiB": max(row["peakMiB"] for row in ours), "phones": phones,
        "met": (seconds <= SECONDS_MAX and is_small(size, phones)
                and (phones < PHONES_MIN or ratio <= RATIO_MAX and encrypted_ratio <= ENCRYPTED_MAX)),
    }


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000)))
