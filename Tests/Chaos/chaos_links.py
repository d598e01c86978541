"""The sockets between the services of deploy/chaos: each leads through a small proxy that can cut, delay and slice what goes
through it. A service sees the others' sockets, by their right names, in a run directory that it shares with its kind."""

import asyncio
import contextlib
import threading
import time

PIECE = 65_536
# A sliced message goes on in so many pieces: one byte each where it is short.
SLICES = 200


class Link:
    """From one kind of service to one instance of another."""

    def __init__(self, name, path, backend):
        self.name = name
        self.path = path
        self.backend = backend
        self.writers = set()
        self.mode, self.until = "", 0.0

    async def serve(self, reader, writer):
        # When all ends.
        with contextlib.suppress(asyncio.CancelledError):
            await self.connect(reader, writer)

    async def connect(self, reader, writer):
        try:
            far_reader, far_writer = await asyncio.open_unix_connection(str(self.backend))
        except OSError:
            # Nobody is there now.
            return writer.close()
        ends = {writer, far_writer}
        self.writers |= ends
        try:
            await asyncio.gather(self.pump(reader, far_writer), self.pump(far_reader, writer))
        except OSError:
            pass
        finally:
            self.writers -= ends
            for end in ends:
                end.transport.abort()

    async def pump(self, reader, writer):
        while data := await reader.read(PIECE):
            if self.mode and time.monotonic() >= self.until:
                self.mode = ""
            if self.mode == "mid-frame":
                self.mode = ""
                put(writer, data[:max(1, len(data) // 2)])
                await writer.drain()
                self.cut()
                return
            if self.mode == "delay":
                await asyncio.sleep(max(0.0, self.until - time.monotonic()))
            if self.mode == "slice":
                size = max(1, len(data) // SLICES)
                for start in range(0, len(data), size):
                    put(writer, data[start:start + size])
                    await asyncio.sleep(0)
            else:
                put(writer, data)
            await writer.drain()
        # One side has closed: so does the other.
        raise ConnectionError

    def cut(self):
        for writer in list(self.writers):
            writer.transport.abort()

    def disturb(self, how, seconds):
        if how == "cut":
            self.cut()
        else:
            self.mode, self.until = how, time.monotonic() + seconds


def put(writer, data):
    """Writes, unless the connection is gone: asyncio takes that in silence, until it complains of each more."""
    if writer.is_closing():
        raise ConnectionError
    writer.write(data)


class Links:
    """All of them, on a thread of their own, from `start` to `stop`."""

    def __init__(self):
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.links = []
        self.servers = []

    def start(self):
        self.thread.start()

    def add(self, name, path, backend):
        """A socket at `path` that leads to the one at `backend`."""
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        link = Link(name, path, backend)

        async def listen():
            self.servers.append(await asyncio.start_unix_server(link.serve, str(path)))
            path.chmod(0o600)

        asyncio.run_coroutine_threadsafe(listen(), self.loop).result(5)
        self.links.append(link)

    def disturb(self, name, how, seconds):
        """What goes between these two services, on all of its connections."""
        for link in self.links:
            if link.name == name:
                self.loop.call_soon_threadsafe(link.disturb, how, seconds)

    def stop(self):
        if not self.thread.is_alive():
            return

        async def close():
            for server in self.servers:
                server.close()
            for link in self.links:
                link.cut()
            for task in asyncio.all_tasks() - {asyncio.current_task()}:
                task.cancel()

        with contextlib.suppress(TimeoutError):
            asyncio.run_coroutine_threadsafe(close(), self.loop).result(5)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(5)
