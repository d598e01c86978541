"""Processes that a lab starts, and that end with it, however it ends."""

import contextlib
import os
import pathlib
import signal
import socket
import subprocess
import sys
import threading
import time

# What a service gets of our environment: nothing of it.
ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8"}


class LabError(Exception):
    """The lab could not do what it was asked for: nothing was found out about the gateway."""


def say(text):
    print(text, file=sys.stderr, flush=True)


def free_port():
    """A port that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until(what, condition, within=30.0, pause=0.05):
    """Waits until `condition()` is true; what it raises counts as no."""
    deadline = time.monotonic() + within
    while True:
        trouble = None
        try:
            if condition():
                return
        except (OSError, ValueError, LabError) as error:
            trouble = error
        if time.monotonic() >= deadline:
            raise LabError(f"not within {within:g} s: {what}" + (f" ({trouble})" if trouble else ""))
        time.sleep(pause)


class Child:
    """One process, which can be started again. Its output goes to a log.

    The kernel kills it when the thread that started it ends: start it from one that lasts.
    """

    def __init__(self, name, command, log, environment=None, user=None, death_signal="KILL"):
        self.name = name
        self.command = command
        self.log = pathlib.Path(log)
        self.environment = ENVIRONMENT | (environment or {})
        self.user = user
        self.death_signal = death_signal
        self.process = None

    def start(self):
        wrapper = ["setpriv", "--pdeathsig", self.death_signal]
        if self.user:
            wrapper += ["--reuid", self.user, "--regid", self.user, "--init-groups"]
        with open(self.log, "ab") as log:
            # A session of its own: Ctrl-C is for us, and we decide in which order things end.
            self.process = subprocess.Popen(
                [*wrapper, "--", *map(str, self.command)],
                env=self.environment, cwd="/", stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
            )

    @property
    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def stop(self, with_signal=signal.SIGTERM, patience=15.0):
        """Ends it, asking first; returns its exit status."""
        if self.process is None:
            return None
        if self.process.poll() is None:
            self.process.send_signal(with_signal)
            try:
                self.process.wait(patience)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        return self.process.returncode

    def kill(self):
        self.stop(signal.SIGKILL)

    def last_lines(self, count=20):
        with contextlib.suppress(OSError):
            return "\n".join(self.log.read_text(errors="replace").splitlines()[-count:])
        return ""

    def wait_until(self, what, condition, within=30.0):
        """As `wait_until`, but not beyond the process's own end."""

        def holds():
            if condition():
                return True
            if not self.is_running:
                raise EndedTooSoon(f"{self.name} ended with status {self.process.returncode}:\n{self.last_lines()}")
            return False

        wait_until(what, holds, within)


class EndedTooSoon(Exception):
    """A process is gone that should have gone on."""


@contextlib.contextmanager
def ending_on_signals():
    """Turns SIGTERM and its like into an exit, so that what is to be cleaned up is."""

    def end(number, _):
        for each in handlers:
            signal.signal(each, signal.SIG_IGN)
        sys.exit(128 + number)

    handlers = {}
    if threading.current_thread() is threading.main_thread():
        for each in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            handlers[each] = signal.signal(each, end)
    try:
        yield
    finally:
        for each, handler in handlers.items():
            signal.signal(each, handler)


def server_user():
    """PostgreSQL refuses to run as root."""
    return "postgres" if os.geteuid() == 0 else None
