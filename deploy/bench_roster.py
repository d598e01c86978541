"""How long a coordinator takes to take over all activities of a match from PostgreSQL, beside psql reading the same rows:
a part of `deploy/bench fanout`."""

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from bench_postgres import Postgres, encrypt, processor_seconds, say

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


def psql(postgres):
    server = processor_seconds(postgres.process.pid)
    began = time.monotonic()
    subprocess.run(
        [postgres.binaries / "psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-h", postgres.folder, "-U", "sightscreen", "-d",
         "bench", "-c", PLAIN], check=True, stdout=subprocess.DEVNULL)
    return {"seconds": time.monotonic() - began, "serverSeconds": processor_seconds(postgres.process.pid) - server}


def coordinator(postgres, binaries, key, phones, key_file=None):
    server = processor_seconds(postgres.process.pid)
    output = subprocess.run(
        [f"{binaries}/fanout-lab", "roster", "--database", postgres.url, "--phones", str(phones), "--key", key,
         *(["--key-file", key_file] if key_file else [])],
        check=True, capture_output=True, text=True).stdout
    result = json.loads(output.strip().splitlines()[-1])
    if result["phones"] != phones:
        sys.exit(f"the coordinator did not take all phones: {result}")
    return result | {"serverSeconds": processor_seconds(postgres.process.pid) - server}


def measure(binaries, folder, phones):
    """Both in turns on one PostgreSQL that loses nothing, and the coordinator on another one whose tokens are encrypted; `folder` is
    a key file's while it runs.

    Returns the medians; `met` says whether all were taken over in ten seconds and twice psql's time, and are small."""
    key = f"{folder}/roster.p8"
    subprocess.run(
        ["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-out", key], check=True,
        capture_output=True)
    token_keys = f"{folder}/token-keys"
    clusters, servers = [], []
    try:
        for _ in range(2):
            # PostgreSQL's own: it must be able to get there.
            clusters.append(tempfile.mkdtemp(prefix="ss-roster-", dir="/tmp"))
            servers.append(Postgres(clusters[-1]))
            say(f"{phones} activities in PostgreSQL …")
            subprocess.run(
                [f"{binaries}/fanout-lab", "roster-seed", "--database", servers[-1].url, "--phones", str(phones)], check=True)
        postgres, encrypted = servers
        encryption = encrypt(binaries, token_keys, encrypted)
        say(f"  encrypted in {encryption:.1f} s")
        encrypted.sql("VACUUM FULL live_activities")
        for server in servers:
            server.sql("VACUUM ANALYZE")
            server.settle()
        theirs, ours, sealed = [], [], []
        for turn in range(ROUNDS):
            theirs.append(psql(postgres))
            ours.append(coordinator(postgres, binaries, key, phones))
            sealed.append(coordinator(encrypted, binaries, key, phones, token_keys))
            say(f"  roster {turn + 1} of {ROUNDS}: psql {theirs[-1]['seconds']:.2f} s   coordinator"
                f" {ours[-1]['seconds']:.2f} s, {ours[-1]['processorSeconds']:.2f} s of processor time and PostgreSQL's"
                f" {ours[-1]['serverSeconds']:.2f} s, {ours[-1]['bytes']:.0f} bytes a phone, peak {ours[-1]['peakMiB']} MiB;"
                f" encrypted {sealed[-1]['seconds']:.2f} s, {sealed[-1]['processorSeconds']:.2f} s")
    finally:
        for server in servers:
            server.stop()
        for cluster in clusters:
            shutil.rmtree(cluster, ignore_errors=True)
        os.unlink(key)

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
    with tempfile.TemporaryDirectory(prefix="ss-bench-", dir="/tmp") as place:
        print(json.dumps(measure(sys.argv[1], place, int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000)))
