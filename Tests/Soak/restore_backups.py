"""How a database goes back: each kind is prepared before the suite runs, taken in mid-match, and brings that moment back while
the services run."""

import os
import pathlib
import pwd
import signal
import subprocess
import time

from harness import ENVIRONMENT, HarnessError, postgres_program, wait_until

NEW = "sightscreen_restored"


class Backup:
    """`settings` are of PostgreSQL, from the beginning on."""

    kind = None
    # The time that is lost, in seconds, at least.
    LOST = 6.0

    def __init__(self, suite):
        self.suite = suite

    @staticmethod
    def settings(folder):
        return []

    def take(self):
        raise NotImplementedError

    def nearly_over(self):
        """A while before the database goes back."""

    def restore(self):
        raise NotImplementedError

    @property
    def cluster(self):
        return pathlib.Path(self.suite.folder) / "postgres"

    @property
    def data(self):
        return self.cluster / "data"

    @property
    def sockets(self):
        return self.cluster / "socket"

    def run(self, *command, **options):
        """As PostgreSQL's user, whose files these are."""
        done = subprocess.run(
            [str(each) for each in command], env=ENVIRONMENT, cwd="/", capture_output=True, text=True,
            **self.owner(), **options)
        if done.returncode != 0:
            raise HarnessError(f"{command[0]}: {done.stderr.strip()[-500:]}")

    @staticmethod
    def owner():
        return {"user": "postgres", "group": "postgres", "extra_groups": []} if os.getuid() == 0 else {}

    def copy(self, source, target):
        self.run("cp", "-a", source, target)

    def base_backup(self, target, *options):
        self.run(postgres_program("pg_basebackup"), "-h", self.sockets, "-U", "sightscreen", "-D", target, "-c", "fast",
                 *options)

    def swap(self, other):
        """Lets PostgreSQL die as in a crash, and come back with other data: its supervisor starts it again."""
        self.data.rename(self.cluster / "lost")
        other.rename(self.data)
        self.suite.postgres.send_signal(signal.SIGQUIT)

    def serve(self, folder):
        """A second server, at a socket of its own."""
        self.run("mkdir", "-m", "700", self.elsewhere)
        log = open(self.suite.folder / "logs" / "second.log", "wb")
        self.server = subprocess.Popen(
            [postgres_program("postgres"), "-D", folder, "-k", self.elsewhere, "-c", "listen_addresses="], env=ENVIRONMENT,
            cwd="/", stdout=log, stderr=log, start_new_session=True, **self.owner())

    def ask(self, statement):
        """What the second server answers; nothing when it does not."""
        return subprocess.run(
            [postgres_program("psql"), "-X", "-q", "-A", "-t", "-h", self.elsewhere, "-U", "sightscreen", "-d", "postgres", "-c",
             statement], env=ENVIRONMENT, cwd="/", capture_output=True, text=True).stdout.strip()

    def end_server(self):
        self.server.send_signal(signal.SIGINT)
        self.server.wait(20)

    @property
    def elsewhere(self):
        return self.cluster / "elsewhere"

    def await_postgres(self):
        wait_until("PostgreSQL is back", lambda: self.suite.sql("SELECT NOT pg_is_in_recovery()") == [["t"]], within=60)


class Dump(Backup):
    """pg_dump, restored beside the database, which it then takes the place of."""

    kind = "dump"

    def take(self):
        self.file = self.cluster / "dump"
        self.run(postgres_program("pg_dump"), "-Fc", "-f", self.file, self.suite.database_url)

    def restore(self):
        self.admin(f"CREATE DATABASE {NEW}")
        self.run(postgres_program("pg_restore"), "-1", "-d", self.url(NEW), self.file)
        self.suite.erase(self.url(NEW))
        self.admin("DROP DATABASE sightscreen WITH (FORCE)")
        self.admin(f"ALTER DATABASE {NEW} RENAME TO sightscreen")

    def url(self, database):
        return self.suite.database_url.replace("/sightscreen?", f"/{database}?")

    def admin(self, statement):
        self.run(postgres_program("psql"), "-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", self.url("postgres"), "-c", statement)


class OtherServer(Dump):
    """pg_dump, restored to a new server, which counts its transactions from the beginning."""

    kind = "server"

    def restore(self):
        folder = self.cluster / "other"
        self.run(postgres_program("initdb"), "-D", folder, "-U", "sightscreen", "-A", "trust", "-E", "UTF8", "--no-locale")
        self.serve(folder)
        wait_until("the new server answers", lambda: self.ask("SELECT 1") == "1")
        self.ask("CREATE DATABASE sightscreen")
        url = f"postgresql://sightscreen@/sightscreen?host={self.elsewhere}"
        self.run(postgres_program("pg_restore"), "-1", "-d", url, self.file)
        self.suite.erase(url)
        self.end_server()
        self.swap(folder)
        self.await_postgres()


class Snapshot(Backup):
    """The data as they stood on the volume at one moment."""

    kind = "snapshot"

    def take(self):
        # Nothing writes meanwhile, as in a snapshot of the volume.
        pids = [self.suite.postgres.pid]
        os.kill(pids[0], signal.SIGSTOP)
        pids += [pid for pid in self.children(pids[0])]
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        try:
            self.copy(self.data, self.cluster / "snapshot")
        finally:
            for pid in reversed(pids):
                os.kill(pid, signal.SIGCONT)
        (self.cluster / "snapshot" / "postmaster.pid").unlink()

    @staticmethod
    def children(parent):
        for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = path.read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if int(fields[1]) == parent:
                yield int(path.parent.name)

    def restore(self):
        self.swap(self.cluster / "snapshot")
        self.await_postgres()


class PointInTime(Backup):
    """A base backup and archived WAL, up to a moment."""

    kind = "pitr"
    ARCHIVE = "archive"

    @staticmethod
    def settings(folder):
        archive = f"{folder}/postgres/{PointInTime.ARCHIVE}"
        return ["archive_mode=on", f"archive_command=mkdir -p {archive} && cp %p {archive}/%f"]

    def take(self):
        self.base = self.cluster / "base"
        self.base_backup(self.base, "-X", "none")
        self.suite.sql("SELECT pg_create_restore_point('moment')")

    def nearly_over(self):
        segment = self.suite.sql("SELECT pg_walfile_name(pg_switch_wal())")[0][0]
        wait_until("the WAL is archived", lambda: self.suite.sql(
            f"SELECT last_archived_wal >= '{segment}' FROM pg_stat_archiver") == [["t"]], within=20)

    def restore(self):
        (self.base / "recovery.signal").touch()
        with open(self.base / "postgresql.auto.conf", "a") as configuration:
            configuration.write(
                f"restore_command = 'cp {self.cluster}/{self.ARCHIVE}/%f %p'\n"
                "recovery_target_name = 'moment'\nrecovery_target_action = 'promote'\n")
        self.chown(self.base / "recovery.signal")
        self.swap(self.base)
        self.await_postgres()

    @staticmethod
    def chown(path):
        if os.getuid() == 0:
            user = pwd.getpwnam("postgres")
            os.chown(path, user.pw_uid, user.pw_gid)


class Standby(Backup):
    """An asynchronous standby that takes over without the last ten seconds."""

    kind = "standby"
    LOST = 10.0

    def take(self):
        """The standby follows until now."""
        folder = self.cluster / "standby"
        self.base_backup(folder, "-X", "stream", "-R")
        self.serve(folder)
        newest = self.suite.sql("SELECT pg_current_wal_lsn()")[0][0]
        wait_until("the standby has caught up", lambda: self.ask(
            f"SELECT pg_last_wal_replay_lsn() >= '{newest}'") == "t", within=30)
        # From now on it gets nothing.
        self.ask("ALTER SYSTEM SET primary_conninfo = ''")
        self.ask("SELECT pg_reload_conf()")
        wait_until("the standby is cut off", lambda: self.ask("SELECT count(*) FROM pg_stat_wal_receiver") == "0", within=20)

    def restore(self):
        self.end_server()
        self.swap(self.cluster / "standby")
        # Services may reach it before it is the primary.
        wait_until("the standby answers", lambda: self.suite.sql("SELECT 1"), within=60)
        time.sleep(1)
        self.suite.sql("SELECT pg_promote()")
        self.await_postgres()


KINDS = {each.kind: each for each in (Dump, OtherServer, Snapshot, PointInTime, Standby)}
