"""What benchmarks share: a private PostgreSQL that loses nothing, and processor time from /proc."""

import os
import pathlib
import pwd
import signal
import subprocess
import sys
import time

TICKS = os.sysconf("SC_CLK_TCK")


def say(text):
    print(text, file=sys.stderr, flush=True)


def processor_seconds(pid):
    """Of a process, and of all its children: those that run and those that have ended."""
    total = 0
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            name, fields = path.read_text().rsplit(")", 1)
        except OSError:
            continue
        fields = fields.split()
        if int(path.parent.name) == pid:
            total += sum(map(int, fields[11:15]))
        elif int(fields[1]) == pid:
            total += sum(map(int, fields[11:13]))
    return total / TICKS


def encrypt(binaries, key_file, postgres):
    """Makes a TOKEN_KEY_FILE and encrypts all push tokens of a database. Returns the seconds that this took."""
    sightscreen = f"{binaries}/sightscreen"
    keys = subprocess.run([sightscreen, "secrets", "keys"], check=True, capture_output=True, text=True).stdout
    with open(os.open(key_file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        file.write(keys)
    began = time.monotonic()
    subprocess.run([sightscreen, "secrets", "encrypt", "--database-url", postgres.url, "--key-file", key_file], check=True,
                   capture_output=True)
    return time.monotonic() - began


# More than a measurement writes.
LOG_BYTES = 500_000_000


class Postgres:
    """A private cluster on a Unix socket, with PostgreSQL's own durability: fsync, full_page_writes and
    synchronous_commit are on."""

    def __init__(self, folder):
        self.folder = folder
        self.binaries = next(
            path for path in (pathlib.Path(f"/usr/lib/postgresql/{version}/bin") for version in range(18, 14, -1))
            if (path / "postgres").exists())
        # It refuses to run as root.
        self.identity = {}
        if os.geteuid() == 0:
            entry = pwd.getpwnam("postgres")
            self.identity = {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
            os.chown(folder, entry.pw_uid, entry.pw_gid)
        self.run("initdb", "-D", f"{folder}/data", "-U", "sightscreen", "-A", "trust", "-E", "UTF8", "--locale=C", "-N")
        settings = {
            "listen_addresses": "", "unix_socket_permissions": "0777", "shared_buffers": "256MB",
            # No checkpoint but those between the measurements.
            "max_wal_size": "8GB", "checkpoint_timeout": "1h", "log_min_messages": "warning",
            # A server that has run for a while writes its log into files that it has; a new one makes each of them anew.
            "min_wal_size": "2GB",
        }
        flags = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        self.log = open(f"{folder}/log", "wb")
        self.process = subprocess.Popen(
            [self.binaries / "postgres", "-D", f"{folder}/data", "-k", folder, *flags],
            stdout=self.log, stderr=self.log, **self.identity)
        for _ in range(300):
            if subprocess.run(
                [self.binaries / "pg_isready", "-q", "-h", folder], stderr=subprocess.DEVNULL).returncode == 0:
                break
            time.sleep(0.1)
        else:
            sys.exit(f"PostgreSQL did not start; its log is {folder}/log")
        self.sql("CREATE DATABASE bench", "postgres")
        self.fill_log()

    @property
    def url(self):
        return f"postgresql://sightscreen@/bench?host={self.folder}"

    def run(self, program, *arguments):
        subprocess.run(
            [self.binaries / program, *arguments], check=True, stdout=subprocess.DEVNULL, cwd="/tmp",
            env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"}, **self.identity)

    def sql(self, text, database="bench"):
        answer = subprocess.run(
            [self.binaries / "psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-h", self.folder, "-U", "sightscreen", "-d", database,
             "-c", text], check=True, capture_output=True, text=True)
        return answer.stdout.strip()

    def fill_log(self):
        """Makes the files of the log that will be written to."""
        self.sql(f"CREATE TABLE ballast AS SELECT repeat('x', 1000) FROM generate_series(1, {LOG_BYTES // 1_000})")
        self.sql("DROP TABLE ballast")
        self.sql("CHECKPOINT")

    def settle(self, *tables):
        """Before each measurement, so that none pays for the one before."""
        for table in tables:
            self.sql(f"VACUUM {table}")
        self.sql("CHECKPOINT")

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(60)
        self.log.close()
