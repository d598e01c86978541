"""What `deploy/bench client-cache` runs: how long the app waits for a day's schedule when it is in memory, on disk, or at the
gateway only, each beside a reference that is measured in turns with it. The gateway is the real one, on this machine, over a
PostgreSQL of its own."""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from bench_api import CLIENT, ISSUER, Gateway, KeyServer
from bench_postgres import Postgres, say

# Beside the one of registration-lab, on the same day, all in play: the largest answers there are.
MATCHES = """
INSERT INTO fixtures (match_id, league_id, competition, format, status, starts_at, home_id, home_name, home_code,
    away_id, away_name, away_code)
SELECT 2000000 + n, league_id, competition, format, status, starts_at, home_id, home_name, home_code, away_id,
    away_name, away_code
FROM fixtures, generate_series(2, {count}) n WHERE match_id = 1304076;
INSERT INTO active_matches (match_id, display_state, version, stamp, content_state, went_live_at)
SELECT 2000000 + n, display_state, version, stamp + n, content_state, went_live_at
FROM active_matches, generate_series(2, {count}) n WHERE match_id = 1304076;
"""


def prepare(lab, postgres, folder, count):
    def do(command, *arguments):
        subprocess.run([lab, command, "--database", postgres.url, *arguments], check=True, stdout=subprocess.DEVNULL)

    do("seed", "--users", "20")
    postgres.sql(MATCHES.format(count=count))
    do("tokens", "--issuer", ISSUER, "--client", CLIENT, "--out", folder)
    token = pathlib.Path(folder, "users.txt").read_text().split()[2]
    path = pathlib.Path(folder, "token.txt")
    path.write_text(token)
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binaries", required=True)
    parser.add_argument("--matches", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=300)
    arguments = parser.parse_args()
    binaries = pathlib.Path(arguments.binaries)
    folder = tempfile.mkdtemp(prefix="ss-bench-", dir="/tmp")
    # PostgreSQL has to pass through.
    os.chmod(folder, 0o711)
    os.mkdir(f"{folder}/postgres", 0o700)
    postgres = Postgres(f"{folder}/postgres")
    gateway = None
    try:
        say(f"{arguments.matches} matches in play, asked for {arguments.rounds} times …")
        token = prepare(binaries / "registration-lab", postgres, folder, arguments.matches)
        gateway = Gateway(binaries / "registration-lab", postgres, KeyServer(f"{folder}/jwks.json"), folder)
        load = pathlib.Path("/proc/loadavg").read_text().split()[0]
        answer = subprocess.run(
            [binaries / "cache-lab", "--gateway", gateway.url, "--token-file", token, "--folder", f"{folder}/cache",
             "--rounds", str(arguments.rounds)], stdout=subprocess.PIPE, text=True)
    finally:
        if gateway:
            gateway.stop()
        postgres.stop()
    shutil.rmtree(folder, ignore_errors=True)
    if not answer.stdout.strip():
        sys.exit("cache-lab has measured nothing")
    line = json.loads(answer.stdout.strip().splitlines()[-1])
    # What else the machine did: these times are elapsed, not of the processor.
    line["load"] = float(load)
    print(json.dumps(line, separators=(",", ":")), flush=True)
    sys.exit(0 if line["met"] and answer.returncode == 0 else 1)


if __name__ == "__main__":
    main()
