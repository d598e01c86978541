"""Reads what the processes have written since the last time, and looks for secrets in it."""

from traces import Traces

# Read at most so much of a log at once: one that writes more has another fault, and is read on the next time.
READ_MAX = 4 << 20


class LogScan:
    """`secrets` are those that never change, by their names."""

    def __init__(self, folder, secrets):
        self.folder = folder
        self.traces = Traces(secrets)
        self.read = {}
        self.lines = {}

    def __call__(self, secrets):
        """What was found of these and of the lasting ones, and how many bytes were looked through."""
        found, count, traces = [], 0, Traces(secrets)
        # Of the services: what stands around them is told tokens, and PostgreSQL shows rows.
        for log in sorted(self.folder.glob("*-[abc].log")):
            with open(log, "rb") as file:
                file.seek(self.read.get(log, 0))
                data = file.read(READ_MAX)
                self.read[log] = file.tell()
            count += len(data)
            text = data.decode(errors="replace")
            for known in (self.traces, traces):
                hit = next(known.within(text), None)
                if hit:
                    found.append(f"{log.name}: {hit[0]}, in {hit[1]!r}")
            self.note_errors(log.stem, text)
        return found, count

    def note_errors(self, name, text):
        """Counts lines of level error, by what they say."""
        for line in text.splitlines():
            parts = line.split(" ", 3)
            if len(parts) > 2 and "error" in parts[1:3]:
                key = (name.rsplit("-", 1)[0], " ".join(parts[1:])[:120])
                self.lines[key] = self.lines.get(key, 0) + 1
