"""The lives of the processes of deploy/chaos: when each died, why, and when it was back. `sightscreen up` starts them again."""

import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import threading

from chaos_records import Death
from harness import Process, now_ms

# A PostgreSQL that comes too soon after a crash gives up, and is started again.
POSTGRES_PATIENCE_MS = 15_000


class Life(Process):
    """One process, and what is known of its deaths."""

    def __init__(self, suite, host="", **description):
        super().__init__(suite, **description)
        self.host = host
        self.struck_ms = 0
        self.condemned = None  # the process that a fault has ended
        self.asked_ms = None
        self.waits_for = None  # the death after which it is not back yet

    def strike(self, number):
        """A signal that it may die of."""
        self.condemned, self.struck_ms = self.pid, now_ms()
        self.asked_ms = self.struck_ms if number == signal.SIGTERM else None
        self.send_signal(number)

    def note(self, event):
        super().note(event)
        if event["event"] == "died" and not self.suite.is_ending:
            self.suite.deaths.append(self.death(event["atMs"], event["status"], event["pid"], event.get("restartInMs", 0)))

    def death(self, at_ms, status, pid, restart_ms):
        wanted = pid == self.condemned
        if self.name == "postgres":
            wanted = at_ms - self.struck_ms < POSTGRES_PATIENCE_MS
        death = Death(self.name, at_ms, status, wanted, restart_ms=restart_ms)
        if wanted and self.asked_ms is not None and status != -signal.SIGKILL:
            death.drained_ms = at_ms - self.asked_ms
        self.asked_ms = None
        self.waits_for = death if self.ready else None
        return death


class Prober(threading.Thread):
    """Sees when those that died are back."""

    def __init__(self, suite):
        super().__init__(daemon=True)
        self.suite = suite
        self.stopping = threading.Event()

    def run(self):
        while not self.stopping.wait(0.05):
            for life in list(self.suite.processes.values()):
                death = life.waits_for
                if death and life.is_running and life.answers("/health/live") and life.waits_for is death:
                    death.back_ms = now_ms()
                    life.waits_for = None

    def stop(self):
        self.stopping.set()
        self.join(5)


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
