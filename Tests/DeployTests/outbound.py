#!/usr/bin/env python3
"""Whether operators are told whom the services reach, and whether units let them: Tests/DeployTests/outbound.py [--table]

The hosts are the default URLs of deploy/docs/settings.md. deploy/docs/production.md must have each with its port (--table prints the
lines), and an address filter of deploy/systemd must leave each to the service that asks it. kubernetes.py holds the network policies
to the same hosts."""

import glob
import os
import re
import sys

TOP = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
SERVICES = {"la-coordinator", "event-bus", "score-poller", "orchestrator", "api-gateway"}
URL = re.compile(r"https://([\w.<>-]+)(?::(\d+))?(?=[/`\"]|$)")
# Required, so without a default.
REQUIRED = {"COGNITO_ISSUER": "https://cognito-idp.<region>.amazonaws.com/"}
# No service asks it.
NOT_ASKED = {"STORE_URL": "the app opens it"}
FILTER = re.compile(r"^(IPAddressDeny|IPAddressAllow|RestrictAddressFamilies)=(.*)$", re.M)


def read(path):
    with open(os.path.join(TOP, path), encoding="utf-8") as file:
        return file.read()


def settings():
    """Of deploy/docs/settings.md: the default and the readers of each."""
    found = {}
    for line in read("deploy/docs/settings.md").splitlines():
        if re.match(r"\| `[A-Z]", line):
            name, default, _, who, _ = (cell.strip() for cell in line.strip("|").split("|"))
            readers = SERVICES if who == "all" else set(who.split(", "))
            if not readers <= SERVICES:
                raise SystemExit(f"deploy/docs/settings.md: {who} are no services")
            found[re.match(r"`([A-Z][A-Z0-9_]+)`", name)[1]] = (default.strip("`"), readers)
    if len(found) < 50:
        raise SystemExit(f"deploy/docs/settings.md has {len(found)} settings")
    return found


def hosts():
    """Host, port, readers and setting of each default URL."""
    found = []
    for name, (default, readers) in settings().items():
        url = URL.match(REQUIRED.get(name, default))
        if url and name not in NOT_ASKED:
            found.append((url[1], int(url[2] or 443), readers, name))
    return found


def row(host, port, readers, setting):
    return f"| `{host}` | {port} | {', '.join(sorted(readers))} | `{setting}` |"


def wrong_with_page(page, known):
    said, needed = {line for line in page.splitlines() if re.match(r"\| `[\w.<>-]+` \| \d+ \|", line)}, {row(*each) for each in known}
    yield from (f"deploy/docs/production.md lacks: {line}" for line in sorted(needed - said))
    yield from (f"deploy/docs/production.md has what no default says: {line}" for line in sorted(said - needed))


def wrong_with_sources(known):
    """Apple's hosts are written down in the sources: no URL of them that is not some setting's default."""
    listed = {(host, port) for host, port, _, _ in known}
    for folder in ("Services", "Shared"):
        for path in glob.glob(f"{TOP}/{folder}/**/*.swift", recursive=True):
            for host, port in URL.findall(read(path)):
                if host.endswith("push.apple.com") and (host, int(port or 443)) not in listed:
                    yield f"{os.path.relpath(path, TOP)}: {host}:{port or 443} is no default of a setting"


def wrong_with_unit(service, text, known):
    """A filter of systemd knows addresses, not ports: who asks a host of the Internet has none, and who asks none has one."""
    lines = dict(FILTER.findall(text))
    asked = sorted(host for host, _, readers, _ in known if service in readers)
    allowed = lines.get("IPAddressAllow", "").split()
    is_open = "IPAddressDeny" not in lines or bool({"any", "0.0.0.0/0"} & set(allowed))
    if asked and not is_open:
        yield f"{service}: its address filter keeps it from {', '.join(asked)}"
    if asked and not {"AF_INET", "AF_INET6"} <= set(lines.get("RestrictAddressFamilies", "AF_INET AF_INET6").split()):
        yield f"{service}: has no socket for {', '.join(asked)}"
    if not asked and (is_open or lines["IPAddressDeny"] != "any" or any(re.match(r"any|0\.|::|2|link-local|169\.254", each) for each in allowed)):
        yield f"{service}: asks no host of the Internet, and may reach every address"


def problems(known):
    yield from wrong_with_page(read("deploy/docs/production.md"), known)
    yield from wrong_with_sources(known)
    for service in sorted(SERVICES | {"migrate"}):
        yield from wrong_with_unit(service, read(f"deploy/systemd/sightscreen-{service}{'@' if service in SERVICES else ''}.service"), known)


def planted(known):
    """Mistakes that must be found."""
    page, asks = "\n".join(row(*each) for each in known), [("host.example", 2195, {"la-coordinator"}, "X")]
    yield wrong_with_page(page.replace("2195", "443"), known)
    yield wrong_with_page(page, known + asks)
    yield wrong_with_sources([each for each in known if each[1] != 2196])
    yield wrong_with_unit("la-coordinator", "IPAddressDeny=any\nIPAddressAllow=localhost 10.0.0.0/8\n", asks)
    yield wrong_with_unit("la-coordinator", "RestrictAddressFamilies=AF_UNIX\n", asks)
    for text in ("", "IPAddressDeny=10.0.0.0/8\n", "IPAddressDeny=any\nIPAddressAllow=any\n", "IPAddressDeny=any\nIPAddressAllow=::/0\n"):
        yield wrong_with_unit("event-bus", text, asks)


def main():
    known = hosts()
    if "--table" in sys.argv:
        print("\n".join(row(*each) for each in known))
        return 0
    found = list(problems(known))
    found += [f"not found: planted mistake {number}" for number, each in enumerate(planted(known), 1) if not list(each)]
    print(*found, sep="\n", end="\n" if found else "", file=sys.stderr)
    print(f"Outbound: {len(known)} hosts, {len(found)} problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
