"""A PostgreSQL that belongs to one lab: on a Unix socket, in a folder of its own, and as careful as one in production."""

import csv
import io
import os
import pathlib
import shutil
import signal
import subprocess

from children import ENVIRONMENT, Child, EndedTooSoon, LabError, server_user, wait_until


class PrivatePostgres:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.user = server_user()
        self.folder.mkdir(mode=0o700)
        if self.user:
            shutil.chown(self.folder, self.user, self.user)
        self.child = Child(
            "postgres",
            [
                binary("postgres"), "-D", self.folder / "data", "-k", self.folder, "-c", "listen_addresses=",
                "-c", "unix_socket_permissions=0700", "-c", "max_connections=100", "-c", "shared_buffers=32MB",
                "-c", "fsync=on", "-c", "full_page_writes=on", "-c", "synchronous_commit=on",
                "-c", "log_min_messages=warning",
            ],
            self.folder.parent / "postgres.log", user=self.user, death_signal="INT",
        )

    def create(self):
        """Makes the cluster and a database, and starts it."""
        wrapper = ["setpriv", "--reuid", self.user, "--regid", self.user, "--init-groups", "--"] if self.user else []
        made = subprocess.run(
            [
                *wrapper, binary("initdb"), "-D", str(self.folder / "data"), "-U", "sightscreen", "-A", "trust",
                "-E", "UTF8", "--locale=C", "-N",
            ],
            env=ENVIRONMENT, cwd="/", capture_output=True, text=True,
        )
        if made.returncode != 0:
            raise LabError(f"initdb: {made.stderr.strip()}")
        self.start()
        self.sql("CREATE DATABASE lab", database="postgres")

    def url(self, database="lab"):
        return f"postgresql://sightscreen@/{database}?host={self.folder}"

    def migrate(self, binaries, url=None):
        """The schema of today."""
        done = subprocess.run(
            [pathlib.Path(binaries) / "sightscreen", "migrate"], env=ENVIRONMENT | {"DATABASE_URL": url or self.url()}, cwd="/",
            capture_output=True, text=True,
        )
        if done.returncode != 0:
            raise LabError(f"sightscreen migrate: {done.stderr.strip()}")

    def start(self, within=60.0):
        """Starts it, after a crash with recovery; the crashed one's processes may take a moment to be gone."""

        def serves():
            try:
                self.child.wait_until("PostgreSQL answers", self.answers, within)
                return True
            except EndedTooSoon:
                self.child.start()
                return False

        self.child.start()
        wait_until("PostgreSQL runs", serves, within, pause=0.2)

    def answers(self):
        return self.run_sql("SELECT 1", "postgres").returncode == 0

    def kill(self):
        """As when the machine's power fails, except that the disk keeps what was written."""
        self.child.kill()

    def stop(self):
        self.child.stop(signal.SIGINT, patience=30.0)

    def run_sql(self, text, database):
        return subprocess.run(
            [binary("psql"), "-X", "-q", "--csv", "-t", "-v", "ON_ERROR_STOP=1", "-d", self.url(database), "-f", "-"],
            input=text, env=ENVIRONMENT | {"PGCONNECT_TIMEOUT": "5"}, cwd="/", capture_output=True, text=True,
        )

    def sql(self, text, database="lab"):
        """The rows, each a list of texts."""
        done = self.run_sql(text, database)
        if done.returncode != 0:
            raise LabError(f"psql: {done.stderr.strip()}")
        return list(csv.reader(io.StringIO(done.stdout)))


def binary(name):
    for version in range(18, 14, -1):
        path = f"/usr/lib/postgresql/{version}/bin/{name}"
        if os.access(path, os.X_OK):
            return path
    raise LabError(f"{name} is not installed (postgresql-15)")
