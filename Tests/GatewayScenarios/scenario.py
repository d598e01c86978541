#!/usr/bin/env python3
"""The real api-gateway with a PostgreSQL of its own and moto in place of Amazon Cognito.

From another script:

    from scenario import Scenario
    with Scenario(".build/debug") as scenario:
        scenario.request("GET", "/user/follows", token=scenario.tokens["alice"])

From a shell, with LAB_URL, LAB_TOKEN_ALICE and the like in the command's environment:

    scenario.py run --binaries .build/debug [--proxy] -- COMMAND [ARGUMENT …]

With --proxy LAB_URL is that of deploy/proxy in front of the gateway.
"""

import argparse
import contextlib
import dataclasses
import http.client
import json
import os
import pathlib
import secrets
import socket
import subprocess
import sys

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path += [str(TESTS / "Harness"), str(TESTS / "ProxyTests")]
import proxy_fixture  # noqa: E402
from harness import HarnessError, Suite, say  # noqa: E402
from user_pools import PASSWORD, KeyProxy, UserPools  # noqa: E402

LIVE_MATCH, LATER_MATCH, FINISHED_MATCH = 1304076, 1304077, 1304078
CONTENT_STATE = {
    "schema": 1, "version": 7, "matchDisplayState": "live", "matchSentiment": "neutral",
    "compactLeading": {"teamAbbr": "MI", "score": "87/6"}, "compactTrailing": {"overs": "12.3", "runRate": "6.96"},
    "expanded": {"title": "MI v CSK", "subtitle": "Final", "innings": [], "batters": [], "recentBalls": []},
}


@dataclasses.dataclass
class Answer:
    status: int
    headers: dict
    body: bytes

    @property
    def json(self):
        return json.loads(self.body)


class Scenario(Suite):
    """`settings` are the gateway's. With `key_proxy` the gateway fetches its keys through `scenario.proxy`, which can publish
    others; with `replays` there is a stand-in that plays tapes, so that the calls for it exist."""

    PREFIX = "ss-gw-"

    def __init__(self, binaries, settings=None, key_proxy=False, replays=False):
        super().__init__(binaries, ["mock-sportmonks"] if replays else [])
        self.extra_settings = {} if replays else {"REPLAY_URL": ""}
        self.extra_settings |= settings or {}
        self.wants_proxy = key_proxy
        self.proxy = self.gateway = None
        self.api_key = secrets.token_urlsafe(48)

    def set_up(self, stack):
        self.seed()
        self.pools = UserPools(self)
        self.pools.create()
        if self.wants_proxy:
            self.proxy = KeyProxy(self.pools)
            stack.callback(self.proxy.stop)
        self.start_gateway()
        self.tokens = self.pools.tokens()

    # The gateway.

    @property
    def gateway_settings(self):
        keys_url = self.pools.keys_url
        if self.proxy:
            keys_url = self.proxy.url + keys_url[keys_url.index(f"/{self.pools.pool}"):]
        return {
            "DATABASE_URL": self.database_url, "COGNITO_ISSUER": self.pools.issuer, "COGNITO_CLIENT_ID": self.pools.client,
            "COGNITO_JWKS_URL": keys_url, "ADMIN_API_KEY": self.api_key,
        } | self.extra_settings

    def start_gateway(self, until_ready=True):
        """Starts it, at the same address as the last time."""
        self.gateway = self.begin("api-gateway", settings=self.gateway_settings)
        self.port = int(self.gateway.url.rsplit(":", 1)[1])
        self.gateway.wait_until("the gateway listens", self.listens)
        if until_ready:
            self.gateway.wait_until("the gateway is ready", self.is_ready)

    def listens(self):
        socket.create_connection(("127.0.0.1", self.port)).close()
        return True

    def is_ready(self):
        return self.request("GET", "/health/ready").status == 200

    def restart_gateway(self, until_ready=True):
        self.gateway.stop()
        self.start_gateway(until_ready)

    def log(self, name="api-gateway"):
        """What a process has written: `api-gateway`, `postgres` or `moto`."""
        return super().log(name)

    def request(self, method, path, body=None, token=None, headers=None, timeout=30):
        headers = dict(headers or {})
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        if body is not None and not isinstance(body, (bytes, str)):
            body = json.dumps(body)
            headers.setdefault("Content-Type", "application/json")
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return Answer(answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())
        except http.client.HTTPException as error:
            raise HarnessError(f"{method} {path}: {error!r}") from error
        finally:
            connection.close()

    # The database.

    def seed(self):
        """One match in play, one to come, one that is over."""
        self.sql(
            f"""
            INSERT INTO fixtures (match_id, league_id, competition, round, format, status, starts_at, home_id, home_name,
                home_code, away_id, away_name, away_code, venue)
            SELECT id, 10, 'Test League', 'Final', 'twenty20', status, starts, 1, 'Mumbai', 'MI', 2, 'Chennai', 'CSK', 'X'
            FROM (VALUES ({LIVE_MATCH}, '1st Innings', timestamptz '2026-03-01 10:00Z'),
                ({LATER_MATCH}, 'NS', '2026-03-02 10:00Z'), ({FINISHED_MATCH}, 'Finished', '2026-02-01 10:00Z'))
                v (id, status, starts);
            INSERT INTO active_matches (match_id, display_state, version, stamp, content_state, went_live_at)
            VALUES ({LIVE_MATCH}, 'live', 7, 1000, '{json.dumps(CONTENT_STATE)}', now());
            """
        )

    # A shell.

    @property
    def environment(self):
        """What a command needs to know."""
        users = {f"LAB_SUB_{name.upper()}": user.sub for name, user in self.pools.users.items()}
        tokens = {f"LAB_TOKEN_{name.upper().replace('-', '_')}": token for name, token in self.tokens.items()}
        return users | tokens | {
            "LAB_URL": self.gateway.url, "LAB_DATABASE_URL": self.database_url, "LAB_API_KEY": self.api_key,
            "LAB_COGNITO_URL": f"{self.pools.url}/", "LAB_COGNITO_CLIENT": self.pools.client,
            "LAB_PASSWORD": PASSWORD,
            "LAB_FOLDER": str(self.folder), "LAB_GATEWAY_PID": str(self.gateway.pid),
            "LAB_MATCH_LIVE": str(LIVE_MATCH), "LAB_MATCH_LATER": str(LATER_MATCH),
            "LAB_MATCH_FINISHED": str(FINISHED_MATCH),
        }


@contextlib.contextmanager
def in_front(gateway_port):
    """The proxy that operators run, with one gateway behind it: its port."""
    names = proxy_fixture.Names()
    names.addresses = ["127.0.0.1"]
    proxy = proxy_fixture.Proxy(gateway_port, names.port)
    try:
        proxy_fixture.eventually("the gateway is up", lambda: proxy.usable() == 1)
        yield proxy.port
    finally:
        proxy.stop()
        names.close()


def options(description):
    """The parser that every check of this folder begins with."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binaries", default=".build/debug", metavar="DIR", help="where api-gateway and sightscreen are")
    return parser


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True, metavar="run")
    run = commands.add_parser("run", help="runs a command beside a gateway")
    run.add_argument("--binaries", default=".build/debug", metavar="DIR")
    run.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of the gateway's")
    run.add_argument("--proxy", action="store_true", help="the command talks to the proxy in front")
    run.add_argument("command", nargs="+", metavar="COMMAND")
    arguments = parser.parse_args()
    settings = dict(text.split("=", 1) for text in arguments.set)
    with contextlib.ExitStack() as stack:
        scenario = stack.enter_context(Scenario(arguments.binaries, settings))
        environment = os.environ | scenario.environment
        if arguments.proxy:
            environment["LAB_URL"] = f"http://127.0.0.1:{stack.enter_context(in_front(scenario.port))}"
        command = subprocess.Popen(arguments.command, env=environment)
        try:
            return command.wait()
        finally:
            if command.poll() is None:
                command.terminate()
                command.wait()


if __name__ == "__main__":
    try:
        sys.exit(main())
    except HarnessError as error:
        say(f"scenario: {error}")
        sys.exit(70)
