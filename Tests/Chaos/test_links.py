"""The sockets between the services of a random-fault run, with a sender and a receiver that are not services."""

import contextlib
import logging
import pathlib
import socket
import tempfile
import threading
import unittest

from chaos_links import Links
from harness import wait_until


class LinkTests(unittest.TestCase):
    def setUp(self):
        self.stack = contextlib.ExitStack()
        self.addCleanup(self.stack.close)
        folder = pathlib.Path(self.stack.enter_context(tempfile.TemporaryDirectory(prefix="links-", dir="/tmp")))
        self.far = self.stack.enter_context(socket.socket(socket.AF_UNIX))
        self.far.bind(str(folder / "far"))
        self.far.listen()
        self.links = Links()
        self.links.start()
        self.stack.callback(self.links.stop)
        self.links.add("one", folder / "near" / "socket", folder / "far")
        self.near = self.stack.enter_context(socket.socket(socket.AF_UNIX))
        self.near.connect(str(folder / "near" / "socket"))
        self.receiver, _ = self.far.accept()
        self.stack.callback(self.receiver.close)
        wait_until("both sides are known", lambda: self.links.links[0].writers, within=5)

    def received(self, count):
        data = b""
        while len(data) < count and (more := self.receiver.recv(count - len(data))):
            data += more
        return data

    def test_what_is_sent_arrives_in_order_also_when_it_is_sliced(self):
        self.near.sendall(b"a" * 1_000)
        self.assertEqual(self.received(1_000), b"a" * 1_000)
        self.links.disturb("one", "slice", 60)
        text = bytes(range(256)) * 40
        self.near.sendall(text)
        self.assertEqual(self.received(len(text)), text)

    def test_a_cut_ends_both_sides(self):
        self.links.disturb("one", "cut", 0)
        for end in (self.near, self.receiver):
            end.settimeout(5)
            with contextlib.suppress(ConnectionResetError):
                self.assertEqual(end.recv(1), b"")

    def test_nothing_is_written_to_a_connection_that_is_gone(self):
        complaints = []
        handler = logging.Handler()
        handler.emit = complaints.append
        logging.getLogger("asyncio").addHandler(handler)
        self.stack.callback(logging.getLogger("asyncio").removeHandler, handler)
        self.links.disturb("one", "slice", 60)
        # All of it is there before a slice goes on, so that the receiver is gone in the middle.
        held, go_on = threading.Event(), threading.Event()
        self.links.loop.call_soon_threadsafe(lambda: (held.set(), go_on.wait(5)))
        held.wait(5)
        self.near.sendall(b"a" * 2_000)
        self.receiver.close()
        go_on.set()
        link = self.links.links[0]
        wait_until("the connection is over", lambda: not link.writers, within=5)
        self.assertEqual([each.getMessage() for each in complaints], [])


if __name__ == "__main__":
    unittest.main()
