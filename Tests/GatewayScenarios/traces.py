"""What must not be found anywhere, and the search for it."""

import base64
import contextlib

# A log may show a push token's first six digits; a run of this many characters is a leak.
LEAST = 12


def encoded(text):
    """A secret as it might be written: as it is, for an address, in base64 at each of its three offsets, and its bytes."""
    yield text
    for bytes_of in (text.encode(), hex_bytes(text)):
        for shift in range(3 if bytes_of else 0):
            # The first and last digits also depend on what stands beside it.
            digits = base64.b64encode(b"\0" * shift + bytes_of).decode().rstrip("=")
            yield digits[-(-shift * 8 // 6):-1]


def hex_bytes(text):
    with contextlib.suppress(ValueError):
        return bytes.fromhex(text)
    return b""


class Traces:
    """Finds every run of `LEAST` characters of each secret, in small or capital letters."""

    def __init__(self, secrets):
        self.names = {}
        for name, secret in secrets.items():
            for text in encoded(secret):
                for start in range(len(text) - LEAST + 1):
                    self.names.setdefault(text[start:start + LEAST].lower(), name)

    def within(self, text):
        """The names of those found, each with where."""
        text = text.lower().replace("%40", "@")
        for start in range(len(text) - LEAST + 1):
            name = self.names.get(text[start:start + LEAST])
            if name is not None:
                yield name, text[max(0, start - 60):start + LEAST + 20]
