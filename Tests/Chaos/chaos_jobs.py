"""Several warm suites side by side, each in a process of its own: whichever is free plays the next seed."""

import contextlib
import json
import selectors
import subprocess

from harness import HarnessError, say

# A suite that is asked to end does so in a few seconds; then it is killed, and its processes with it.
END_PATIENCE = 60


class Job:
    """One of them, seen from the run: it gets seeds, a line each, and gives back what each came to, and at last what became
    of the suite."""

    def __init__(self, number, command):
        self.name = f"job {number}"
        self.is_over = False
        # A session of its own: Ctrl-C is for us, and each of them is asked once.
        self.process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "TERM", "--", *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            start_new_session=True)

    def hand(self, seed):
        """The next one to play; None: there are no more."""
        # One that is gone says so by its end.
        with contextlib.suppress(BrokenPipeError):
            if seed is None:
                self.process.stdin.close()
            else:
                print(seed, file=self.process.stdin, flush=True)

    def ask_to_end(self):
        if self.process.poll() is None:
            self.process.terminate()

    def wait(self):
        try:
            self.process.wait(END_PATIENCE)
        except subprocess.TimeoutExpired:
            say(f"{self.name} does not end, and is killed")
            self.process.kill()
            self.process.wait()
        self.hand(None)
        self.process.stdout.close()


def run_jobs(commands, seeds, tally):
    """Until all seeds are played, or one of the jobs cannot go on: then it ends them all."""
    jobs = []
    with selectors.DefaultSelector() as selector:
        try:
            for number, command in enumerate(commands, 1):
                jobs.append(Job(number, command))
                selector.register(jobs[-1].process.stdout, selectors.EVENT_READ, jobs[-1])
                jobs[-1].hand(next(seeds, None))
            while selector.get_map():
                for key, _ in selector.select():
                    if not take(key.data, seeds, tally):
                        selector.unregister(key.fileobj)
        finally:
            # All are asked before one is waited for.
            for job in jobs:
                job.ask_to_end()
            for job in jobs:
                job.wait()


def take(job, seeds, tally):
    """What it has to say; whether there will be more."""
    # There is never a second line before the first is answered.
    line = job.process.stdout.readline()
    if not line:
        status = job.process.wait()
        if status != 0 or not job.is_over:
            raise HarnessError(f"{job.name} has ended with status {status}, and all others with it")
        return False
    message = json.loads(line)
    if "unclean" in message:
        job.is_over = True
        tally.close(message)
    else:
        tally.add(message)
        job.hand(next(seeds, None))
    return True


class Prefixed:
    """Standard error of a job: each line says whose it is, and goes out whole."""

    def __init__(self, prefix, file):
        self.prefix = prefix
        self.file = file
        self.begun = ""

    def write(self, text):
        *lines, self.begun = (self.begun + text).split("\n")
        for line in lines:
            self.file.write(f"{self.prefix}{line}\n")
        self.file.flush()
        return len(text)

    def flush(self):
        self.file.flush()
