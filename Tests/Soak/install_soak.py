"""What `deploy/soak install` runs: an empty Debian with systemd as its first process, in which a host is set up by the blocks of
deploy/docs/production.md and replicas.md, as they stand there and in their order, and a match played through its proxy. Needs
root: namespaces, debootstrap. A line of JSON for each goal, and one for all."""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

from harness import HarnessError, ending_on_signals, say, wait_until

TOP = pathlib.Path(__file__).resolve().parents[2]
# In the order in which the pages ask for them.
BLOCKS = {"production.md": ["database"], "replicas.md": ["programs", "settings", "secrets", "start", "look", "proxy"]}
PROGRAMS = "/srv/sightscreen/.build/release"
# An operator's own values, as the stand-ins want them. Of a name that is there twice the later one counts.
SETTINGS = """\
SIGHTSCREEN_STAND_INS=1
COGNITO_ISSUER=http://localhost:8190
COGNITO_CLIENT_ID=sightscreen-demo
SPORTMONKS_URL=http://localhost:8192/api/v2.0
SPORTMONKS_HOURLY_LIMIT=0
POLL_INTERVAL=200ms
MARQUEE_POLL_INTERVAL=200ms
SUSPENDED_POLL_INTERVAL=1500ms
ORCHESTRATOR_INTERVAL=1s
RESULT_HOLD=7500ms
KEEPALIVE_INTERVAL=30s
BROADCAST=off
APNS_KEY_ID=DEMOKEY001
APNS_TEAM_ID=DEMOTEAM01
APNS_BUNDLE_ID=com.sightscreen.ios
APNS_URL=https://localhost:2197
APNS_SANDBOX_URL=https://localhost:2198
APNS_MANAGE_URL=https://localhost:2200
APNS_SANDBOX_MANAGE_URL=https://localhost:2201
APNS_CA_FILE=/srv/stand-ins/apns-certificate.pem
"""
STAND_INS = f"""
{PROGRAMS}/sightscreen secrets demo --directory /srv/stand-ins --host localhost
chmod 0755 /srv/stand-ins && chmod 0644 /srv/stand-ins/apns-certificate.pem
cp /srv/stand-ins/apns.p8 AuthKey_ABCDE12345.p8
run() {{ systemd-run --quiet --setenv=SIGHTSCREEN_STAND_INS=1 --setenv=SIGHTSCREEN_RUN_DIR=/tmp/stand-ins --setenv=HEALTH_PORT=0 "$@"; }}
run --unit=dev-issuer {PROGRAMS}/sightscreen dev-issuer --port 8190 --state-dir /srv/stand-ins
run --unit=mock-sportmonks --setenv=MOCK_SPORTMONKS_TOKEN=token-of-sportmonks --setenv=MOCK_SPORTMONKS_PORT=8192 \\
    --setenv=MOCK_SPORTMONKS_TAPES=/srv/sightscreen/matches {PROGRAMS}/mock-sportmonks
run --unit=apns-simulator --setenv=APNS_KEY_ID=DEMOKEY001 --setenv=APNS_TEAM_ID=DEMOTEAM01 --setenv=APNS_BUNDLE_ID=com.sightscreen.ios \\
    --setenv=APNS_SIMULATOR_CERTIFICATE_FILE=/srv/stand-ins/apns-certificate.pem \\
    --setenv=APNS_SIMULATOR_KEY_FILE=/srv/stand-ins/apns-certificate-key.pem \\
    --setenv=APNS_SIMULATOR_PUBLIC_KEY_FILE=/srv/stand-ins/apns-public.pem {PROGRAMS}/apns-simulator
"""
UNITS = [f"sightscreen-{name}@{number}.service" for name in
         ("api-gateway", "orchestrator", "score-poller", "event-bus", "la-coordinator") for number in (1, 2)]


class Failed(Exception):
    """The product, or a page, did not do what it says."""


def blocks():
    """The marked blocks of the pages by name."""
    found = {}
    for page, names in BLOCKS.items():
        text = (TOP / "deploy/docs" / page).read_text(encoding="utf-8")
        there = re.findall(r"^<!-- run: ([a-z]+) -->\n```\n(.*?)^```$", text, re.S | re.M)
        if [name for name, _ in there] != names:
            raise HarnessError(f"{page} has the blocks {[name for name, _ in there]}, and not {names}")
        found |= dict(there)
    return found


class Host:
    """A Debian that was booted in namespaces of its own, with nothing but its loopback."""

    def __init__(self, binaries, debian):
        self.binaries, self.debian = pathlib.Path(binaries).resolve(), debian
        self.blocks = blocks()

    def __enter__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="sightscreen-install-", dir="/var/tmp"))
        self.root, self.process = self.folder / "root", None
        try:
            self.make()
            self.boot()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self.process is not None:
            # As from a power button.
            self.process.terminate()
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def make(self):
        if self.debian:
            subprocess.run(["cp", "-a", self.debian, self.root], check=True)
        else:
            say("debootstrap …")
            self.command(["debootstrap", "--variant=minbase", "--include=systemd,systemd-sysv,dbus,ca-certificates,curl", "bookworm",
                          str(self.root)])
        # Without a network of its own it installs what was fetched before: what the blocks ask for, and a database.
        wanted = ["postgresql", "openssl"]
        for block in self.blocks.values():
            for line in re.findall(r"^apt-get install (.*)$", block, re.M):
                wanted += [word for word in line.split() if not word.startswith("-")]
        say(f"Fetching {' '.join(wanted)} …")
        for line in (["update"], ["install", "--yes", "--download-only", "--no-install-recommends", *wanted]):
            self.command(["chroot", str(self.root), "apt-get", "-qq", *line])
        (self.root / "etc/hostname").write_text("installed\n")
        for folder in ("srv/sightscreen/deploy", "srv/sightscreen/matches", PROGRAMS[1:]):
            (self.root / folder).mkdir(parents=True)

    def command(self, line):
        done = subprocess.run(line, capture_output=True, text=True, check=False, env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})
        if done.returncode:
            raise HarnessError(f"{' '.join(line)}: {done.stderr[-500:] or done.stdout[-500:]}")

    def boot(self):
        say("Booting …")
        binds = {TOP / "deploy": "/srv/sightscreen/deploy", TOP / "Tests/Fixtures/matches": "/srv/sightscreen/matches",
                 self.binaries: PROGRAMS}
        # A build that is not static takes the toolchain's libraries along.
        linked = subprocess.run(["ldd", str(self.binaries / "sightscreen")], capture_output=True, text=True, check=True).stdout
        if library := re.search(r"libswiftCore\.so => (/\S+)/libswiftCore\.so", linked):
            binds[pathlib.Path(os.path.realpath(library[1]))] = os.path.realpath(library[1])
        console = open(self.folder / "console", "wb")
        self.process = subprocess.Popen(
            ["systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--private-network", "--hostname=installed", "--boot",
             f"--directory={self.root}", *(f"--bind-ro={here}:{there}" for here, there in binds.items())],
            stdin=subprocess.DEVNULL, stdout=console, stderr=console)
        wait_until("systemd is there", self.find_leader, within=60)
        wait_until("Debian has started", lambda: self.run("systemctl is-system-running || true").stdout.strip()
                   in ("running", "degraded"), within=180, pause=1)

    def find_leader(self):
        """Its first process, seen from here."""
        around = {self.process.pid}
        for _ in range(2):
            for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
                try:
                    name, fields = stat.read_text().rsplit(")", 1)
                except OSError:
                    continue
                if int(fields.split()[1]) in around:
                    around.add(int(stat.parent.name))
                    if name.endswith("(systemd"):
                        self.leader = int(stat.parent.name)
                        return True
        return False

    def run(self, script, check=True, within=900):
        """Runs a script in it as root, where the repository is."""
        done = subprocess.run(
            ["nsenter", f"--target={self.leader}", "--all", "--wdns=/srv/sightscreen", "bash", "-euo", "pipefail", "-c", script],
            capture_output=True, text=True, check=False, timeout=within, stdin=subprocess.DEVNULL,
            env={"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "DEBIAN_FRONTEND": "noninteractive"})
        if check and done.returncode:
            raise Failed(f"{script.strip()[:200]}\n{done.stdout[-1000:]}{done.stderr[-1500:]}")
        return done

    def block(self, name):
        say(f"{name} …")
        return self.run(self.blocks[name])

    def journal(self, *options):
        lines = self.run(f"journalctl --no-pager -o json {' '.join(options)}").stdout.splitlines()
        return [json.loads(line) for line in lines]


def install(host):
    """By the pages: at first without the secrets, which has to say what is missing; then with them, until all are ready."""
    host.run("apt-get install --yes --no-install-recommends postgresql openssl && systemctl start postgresql")
    host.block("database")
    host.block("programs")
    host.block("settings")
    with open(host.root / "etc/sightscreen/sightscreen.env", "a", encoding="utf-8") as file:
        file.write(SETTINGS)
    host.run(STAND_INS)
    host.block("start")
    said = host.run("systemctl --no-pager --all status 'sightscreen*' || true").stdout
    named = re.findall(r"AssertPathExists=/etc/sightscreen/([a-z0-9.-]+) was not met", said)
    # Each names one of those that it lacks.
    if len(named) != len(UNITS) + 1 or not set(named) <= {"database-url", "sportmonks-api-token", "apns-key.p8", "token-keys"}:
        raise Failed(f"of ten services and the migration, which have no secrets, these say so: {named}")
    host.block("secrets")
    begun = time.monotonic()
    host.block("start")
    ready = re.findall(r"^(\d+) is ready$", host.block("look").stdout, re.M)
    seconds = round(time.monotonic() - begun)
    if len(ready) != len(UNITS):
        problems = [str(line.get("MESSAGE"))[:300] for line in host.journal("-u 'sightscreen-*'")][-12:]
        raise Failed(f"only {ready} are ready: {problems}")
    # The proxy's certificate is the one of the stand-in.
    host.run("mkdir -p /etc/haproxy && cp /srv/stand-ins/apns-certificate.pem /etc/haproxy/tls.pem && "
             "cp /srv/stand-ins/apns-certificate-key.pem /etc/haproxy/tls.pem.key")
    host.block("proxy")
    failed = host.run("systemctl --failed --no-legend --plain").stdout.split("\n")
    if any("sightscreen" in line or "haproxy" in line for line in failed):
        raise Failed(f"failed: {failed}")
    return {"readyAfterSeconds": seconds}


def match(host):
    """A match, followed by one phone through the proxy, from its start to the end of its card."""
    done = subprocess.run(
        ["nsenter", f"--target={host.leader}", "--net", sys.executable, "-B", str(TOP / "Tests/Soak/install_match.py"),
         str(host.root / "srv/stand-ins/apns-certificate.pem")], capture_output=True, text=True, check=False, timeout=900)
    if done.returncode:
        raise Failed(done.stderr.strip()[-800:])
    return json.loads(done.stdout)


def commands(host):
    """Commands as the page of operating has them, and the log of machines: JSON, line by line."""
    base = "DATABASE_URL_FILE=/etc/sightscreen/database-url sightscreen"
    for line in ("inspect match 1304076", "hold 1304076", "release 1304076", "hold --all --alerts", "release --all"):
        host.run(f"{base} {line}")
    held = host.run("runuser -u postgres -- psql -qAt sightscreen -c \"SELECT count(*) FROM admin_audit WHERE actor LIKE 'shell:root@%'\"")
    if held.stdout.strip() != "4":
        raise Failed(f"the audit has {held.stdout.strip()} of four commands")
    lines = 0
    for line in host.journal(*(f"-u {unit}" for unit in UNITS)):
        # What systemd itself says of a unit is not the program's.
        if line.get("_COMM") in ("systemd", "(systemd)") or line.get("SYSLOG_IDENTIFIER") == "systemd":
            continue
        lines += 1
        try:
            json.loads(line["MESSAGE"])
        except (ValueError, TypeError, KeyError) as error:
            raise Failed(f"no JSON in the journal: {str(line.get('MESSAGE'))[:200]}") from error
    return {"linesOfJSON": lines}


def stop(host):
    """All of it ends within its time, with status 0."""
    begun = time.monotonic()
    host.run("systemctl stop sightscreen.target " + " ".join(UNITS))
    seconds = round(time.monotonic() - begun, 1)
    for unit in UNITS:
        said = host.run(f"systemctl show -p ActiveState,Result,ExecMainStatus --value {unit}").stdout.split()
        if sorted(said) != sorted(["inactive", "success", "0"]):
            raise Failed(f"{unit} ended with {said}")
    if seconds > 10:
        raise Failed(f"it took {seconds} s")
    return {"stoppedAfterSeconds": seconds}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binaries", required=True)
    parser.add_argument("--debian", help="a folder that debootstrap has made, copied instead of making one")
    chosen = parser.parse_args()
    met = True
    with ending_on_signals(), Host(chosen.binaries, chosen.debian) as host:
        for goal in (install, match, commands, stop):
            begun = time.monotonic()
            try:
                line = {"goal": goal.__name__, "met": True, **goal(host)}
            except (Failed, subprocess.TimeoutExpired) as failure:
                line = {"goal": goal.__name__, "met": False, "problems": [str(failure)]}
            line["tookSeconds"] = round(time.monotonic() - begun)
            met = met and line["met"]
            print(json.dumps(line, separators=(",", ":")), flush=True)
            # What follows needs what came before.
            if not met:
                break
    print(json.dumps({"soak": "install", "met": met}, separators=(",", ":")), flush=True)
    return 0 if met else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except HarnessError as error:
        say(f"soak install: {error}")
        sys.exit(70)
