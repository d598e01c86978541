"""Keeps the processes of deploy/chaos running as `sightscreen up` does: who dies is started again, after 0.1 s at first and
twice as long each time, 5 s at most, until it has lived for ten. Says when each died, why, and when it was back."""

import contextlib
import http.client
import os
import pathlib
import shutil
import signal
import subprocess
import threading
import time

from chaos_records import Death
from children import LabError
from fanout_ground import now_ms

FIRST_DELAY, LONGEST_DELAY, HEALTHY_AFTER = 0.1, 5.0, 10.0
MISCONFIGURED = 78
# Who is asked to end does so within five seconds.
DRAIN_PATIENCE = 6
# A PostgreSQL that comes too soon after a crash gives up, and is started again.
POSTGRES_PATIENCE_MS = 15_000


class Kept:
    """One process that is kept running, and what is known of its life."""

    def __init__(self, child, service, health=None, host=""):
        self.child = child
        self.service = service
        self.health = health
        self.host = host
        self.delay = FIRST_DELAY
        self.started_at = 0.0
        self.restart_at = None
        self.struck_ms = 0
        self.condemned = None  # the process that a fault has ended
        self.asked_ms = None
        self.waits_for = None  # the death after which it is not back yet

    @property
    def name(self):
        return self.child.name

    @property
    def pid(self):
        return self.child.process.pid

    def signal(self, number):
        """Strikes it, and knows of it when it dies."""
        if number in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGQUIT):
            self.condemned, self.struck_ms = self.child.process, now_ms()
            self.asked_ms = self.struck_ms if number == signal.SIGTERM else None
        self.child.process.send_signal(number)

    def answers(self, path="/health/live"):
        if self.health is None:
            return True
        connection = http.client.HTTPConnection(*self.health, timeout=1)
        try:
            connection.request("GET", path)
            return connection.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()


class Supervisor:
    def __init__(self):
        self.kept = {}
        self.deaths = []
        self.guard = threading.Lock()
        self.stopping, self.over = threading.Event(), threading.Event()
        # The kernel ends the processes with the thread that started them: this one lasts as long as the lab.
        self.keeper = threading.Thread(target=self.keep, daemon=True)
        self.prober = threading.Thread(target=self.probe, daemon=True)
        self.orders = []
        self.unclean = []

    def add(self, child, service, health=None, host=""):
        """`health`: where it says how it is, a pair of address and port."""
        self.kept[child.name] = Kept(child, service, health, host)
        return self.kept[child.name]

    def start(self):
        self.keeper.start()
        self.prober.start()

    def begin(self, kept):
        """Starts one for the first time; returns when it runs."""
        begun = threading.Event()
        with self.guard:
            self.orders.append((kept, begun))
        if not begun.wait(10):
            raise LabError(f"{kept.name} was not started")

    def of(self, service):
        return [kept for kept in self.kept.values() if kept.service == service]

    def keep(self):
        while not self.stopping.wait(0.01):
            with self.guard:
                orders, self.orders = self.orders, []
            for kept, begun in orders:
                self.run(kept)
                begun.set()
            for kept in list(self.kept.values()):
                if kept.restart_at is not None:
                    if time.monotonic() >= kept.restart_at:
                        kept.restart_at = None
                        self.run(kept)
                elif kept.child.process is not None and kept.child.process.poll() is not None:
                    self.note_death(kept)
        # It must not end before those that it has started.
        self.over.wait()

    def run(self, kept):
        kept.started_at = time.monotonic()
        kept.child.start()

    def note_death(self, kept):
        process, at_ms = kept.child.process, now_ms()
        status, wanted = process.returncode, kept.condemned is process
        if kept.service == "postgres":
            wanted = at_ms - kept.struck_ms < POSTGRES_PATIENCE_MS
        if status == MISCONFIGURED:
            wanted = False
        if time.monotonic() - kept.started_at >= HEALTHY_AFTER:
            kept.delay = FIRST_DELAY
        death = Death(kept.name, at_ms, status, wanted, restart_ms=round(kept.delay * 1_000))
        if wanted and kept.asked_ms is not None and status != -signal.SIGKILL:
            death.drained_ms = at_ms - kept.asked_ms
        kept.asked_ms = None
        with self.guard:
            self.deaths.append(death)
            kept.waits_for = death if kept.health else None
        kept.restart_at = time.monotonic() + kept.delay
        kept.delay = min(2 * kept.delay, LONGEST_DELAY)

    def probe(self):
        while not self.stopping.wait(0.05):
            for kept in list(self.kept.values()):
                death = kept.waits_for
                if death is None or kept.restart_at is not None or kept.child.process is None:
                    continue
                if kept.answers() and kept.waits_for is death:
                    death.back_ms = now_ms()
                    kept.waits_for = None

    def all_are_well(self):
        """What is not running or not ready."""
        return [kept.name for kept in self.kept.values()
                if kept.restart_at is not None or not kept.child.is_running or not kept.answers("/health/ready")]

    def take_deaths(self):
        with self.guard:
            deaths, self.deaths = self.deaths, []
        return deaths

    def stop(self):
        """Ends all, the last started first; PostgreSQL and the stand-ins belong to others."""
        self.stopping.set()
        self.prober.join(5)
        for kept in reversed(list(self.kept.values())):
            if kept.service == "postgres":
                continue
            if kept.child.is_running:
                # One that stands still cannot end when it is asked to.
                kept.child.process.send_signal(signal.SIGCONT)
        for kept in reversed(list(self.kept.values())):
            if kept.service != "postgres":
                was_running = kept.child.is_running
                status = kept.child.stop(patience=DRAIN_PATIENCE)
                if was_running and status not in (0, -signal.SIGTERM):
                    self.unclean.append(f"{kept.name} ended with {status} when all was over")
        self.over.set()


@contextlib.contextmanager
def standing_still(pid):
    """A process and its children, as long as it lasts: nothing ends, and nothing is answered."""
    stopped = []

    def stop(number):
        # By what stays theirs when they die meanwhile; then there is nobody to stop.
        with contextlib.suppress(ProcessLookupError):
            stopped.append(os.pidfd_open(int(number)))
            signal.pidfd_send_signal(stopped[-1], signal.SIGSTOP)

    try:
        # It first: then it has no more children.
        stop(pid)
        with contextlib.suppress(OSError):
            for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
                stop(child)
        yield
    finally:
        for process in stopped:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(process, signal.SIGCONT)
            os.close(process)


def stacks(pid):
    """Where the threads of a process stand, if there is somebody who can tell."""
    if shutil.which("gdb") is None:
        return "gdb is not installed"
    done = subprocess.run(
        ["gdb", "-q", "-batch", "-ex", "thread apply all backtrace 40", "-p", str(pid)], capture_output=True, text=True,
        timeout=120)
    return done.stdout


def size(pid):
    """Memory, open files and threads of a process."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    fields = dict(line.split(":", 1) for line in status.splitlines())
    return {"rss": int(fields["VmRSS"].split()[0]) * 1_024, "threads": int(fields["Threads"]),
            "fds": len(os.listdir(f"/proc/{pid}/fd"))}
