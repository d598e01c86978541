#!/usr/bin/env python3
"""The gateway's authentication against a Cognito that is not ours: moto makes the users and the tokens.

Ends with one line of JSON; its status is 0 when everything was as it should be.
"""

import time

import checks
from scenario import LIVE_MATCH, Scenario, options
from user_pools import PASSWORD, new_key

FOLLOWS = "/user/follows"


def main():
    arguments = options(__doc__).parse_args()
    check = checks.Check("cognito")
    with Scenario(arguments.binaries, key_proxy=True) as scenario:
        users_and_tokens(check, scenario)
        signing_up(check, scenario)
        strangers(check, scenario)
        api_key(check, scenario)
        rotation(check, scenario)
        outage(check, scenario)
        check.expect("no token in the gateway's log", not any(token in scenario.log() for token in scenario.tokens.values()))
        check.expect("no API key in the gateway's log", scenario.api_key not in scenario.log())
    return check.line(expectations=check.count, failed=len(check.failures))


def status(scenario, token, method="GET", path=FOLLOWS, body=None, headers=None):
    return scenario.request(method, path, body, token, headers).status


def follows(scenario, token):
    return [item["matchId"] for item in scenario.request("GET", FOLLOWS, token=token).json["follows"]]


def users_and_tokens(check, scenario):
    for name in scenario.pools.users:
        for kind in (name, f"{name}-id"):
            check.expect(f"{kind} token accepted", status(scenario, scenario.tokens[kind]) == 200)
    # Both of a user's tokens are the same user, and nobody else.
    followed = status(scenario, scenario.tokens["alice"], "POST", "/user/follow/match", {"matchId": str(LIVE_MATCH)})
    check.expect("alice follows", followed == 200, followed)
    check.expect("by her id token too", follows(scenario, scenario.tokens["alice-id"]) == [str(LIVE_MATCH)])
    check.expect("bob does not", follows(scenario, scenario.tokens["bob"]) == [])
    stored = scenario.sql("SELECT user_id FROM match_follows")
    check.expect("her sub is what is stored", stored == [[scenario.pools.users["alice"].sub]], stored)
    # The administration's calls are closed to users, and know the group admin; a gateway without them knows no such path.
    for name, expected in (("alice", {403, 404}), ("carol", {200, 404}), ("carol-id", {200, 404})):
        seen = status(scenario, scenario.tokens[name], path="/admin/config")
        check.expect(f"administration for {name}", seen in expected, seen)
    seen = {status(scenario, scenario.tokens[name], path="/admin/config") for name in ("alice", "carol")}
    check.expect("administrators are told apart, where there is administration", seen in ({403, 200}, {404}), seen)


def signing_up(check, scenario):
    """As the app does it: sign up, confirm, sign in, refresh."""
    boto, pools = scenario.pools.boto, scenario.pools
    signed_up = boto.sign_up(
        ClientId=pools.client, Username="dave", Password=PASSWORD,
        UserAttributes=[{"Name": "email", "Value": "dave@example.com"}],
    )
    boto.confirm_sign_up(ClientId=pools.client, Username="dave", ConfirmationCode="000000")
    tokens = pools.sign_in("dave")
    for kind in ("AccessToken", "IdToken"):
        check.expect(f"a new user's {kind} accepted", status(scenario, tokens[kind]) == 200)
    refreshed = boto.initiate_auth(
        AuthFlow="REFRESH_TOKEN_AUTH", ClientId=pools.client, AuthParameters={"REFRESH_TOKEN": tokens["RefreshToken"]}
    )["AuthenticationResult"]
    for kind in ("AccessToken", "IdToken"):
        check.expect(f"a refreshed {kind} accepted", status(scenario, refreshed[kind]) == 200)
    check.expect("a refresh token is none", status(scenario, tokens["RefreshToken"]) == 401)
    check.expect("a user's id is his sub", len(signed_up["UserSub"]) == 36)


def strangers(check, scenario):
    pools = scenario.pools
    alice = pools.users["alice"].sub
    now = int(time.time())
    tokens = {
        "none": None,
        "an expired token": scenario.tokens["expired"],
        "another client's": scenario.tokens["wrong-client"],
        "another client's id token": pools.sign_in("alice", pools.other_client)["IdToken"],
        "another pool's": scenario.tokens["wrong-pool"],
        "another pool's id token": pools.sign_in("mallory", pools.other_pools_client)["IdToken"],
        "another pool's for our client": pools.made_up(alice, iss=pools.issuer.replace(pools.pool, pools.other_pool)),
        "another region's": pools.made_up(alice, iss=pools.issuer.replace("us-east-1.", "us-east-2.")),
        "one not yet valid": pools.made_up(alice, iat=now + 3600),
        "one without a use": pools.made_up(alice, token_use=None),
        "an access token called id": pools.made_up(alice, token_use="id"),
        "an id token called access": pools.sign(pools.claims(alice, "id") | {"token_use": "access"}),
        "a server's, without a user": pools.made_up(pools.client),
        "a stranger's key under moto's id": pools.sign(pools.claims(alice), key=new_key("x")),
        "a stranger's key": pools.sign(pools.claims(alice), key=new_key("x"), key_id="x"),
    }
    for name, token in tokens.items():
        answer = scenario.request("GET", FOLLOWS, token=token)
        check.expect(f"{name} refused", answer.status == 401 and "www-authenticate" in answer.headers, answer.status)
    check.expect("the same made well accepted", status(scenario, pools.made_up(alice)) == 200)
    check.expect("an id token made well accepted", status(scenario, pools.sign(pools.claims(alice, "id"))) == 200)


def api_key(check, scenario):
    key = {"X-API-Key": scenario.api_key}
    check.expect("an API key is no user", status(scenario, None, headers=key) in (401, 403))
    check.expect("a key and a token are too many", status(scenario, scenario.tokens["alice"], headers=key) == 401)
    check.expect("a wrong key is refused", status(scenario, None, headers={"X-API-Key": "0" * 64}) == 401)
    check.expect("what is public stays so", status(scenario, None, path="/app/config", headers=key) == 200)


def rotation(check, scenario):
    """moto does not rotate: the proxy before it publishes a second key, then only that."""
    pools = scenario.pools
    alice = pools.users["alice"].sub
    key = new_key("next")
    token = pools.sign(pools.claims(alice), key=key, key_id="next")
    before = scenario.proxy.fetches
    for _ in range(300):
        unknown = status(scenario, token)
        if unknown != 401:
            break
    check.expect("a key that is not published is none", unknown == 401, unknown)
    check.expect("300 tokens of it cost two fetches at most", scenario.proxy.fetches - before <= 2, scenario.proxy.fetches - before)
    scenario.proxy.publish(pools.key_with_id, key)
    check.eventually("a token of the new key is taken", lambda: status(scenario, token) == 200, within=15)
    check.expect("and one of the old key still", status(scenario, scenario.tokens["alice"]) == 200)
    scenario.proxy.publish(key)
    scenario.restart_gateway()
    check.expect("a token of a key that was taken back is refused", status(scenario, scenario.tokens["alice"]) == 401)
    check.expect("one of the new key is not", status(scenario, token) == 200)
    scenario.proxy.keys = None
    scenario.restart_gateway()


def outage(check, scenario):
    pools = scenario.pools
    pools.process.stop()
    for name in ("alice", "alice-id", "bob", "carol"):
        check.expect(f"{name}'s token without moto", status(scenario, scenario.tokens[name]) == 200)
    check.expect("an expired one without moto", status(scenario, scenario.tokens["expired"]) == 401)
    check.expect("ready without moto", scenario.is_ready())
    # Who starts now has no keys.
    scenario.restart_gateway(until_ready=False)
    answer = scenario.request("GET", FOLLOWS, token=scenario.tokens["alice"])
    check.expect("without keys a 503", answer.status == 503, answer.status)
    check.expect("which says when to try again", int(answer.headers.get("retry-after", 0)) > 0, answer.headers)
    ready = scenario.request("GET", "/health/ready")
    check.expect("not ready", ready.status == 503, ready.status)
    check.expect("which says when to look again", int(ready.headers.get("retry-after", 0)) > 0, ready.headers)
    check.expect("but alive", status(scenario, None, path="/health/live") == 200)
    check.expect("public calls are answered", status(scenario, None, path="/app/config") == 200)
    pools.start()
    check.eventually("the gateway is ready again", scenario.is_ready, within=20)
    check.expect("and takes tokens", status(scenario, scenario.tokens["alice"]) == 200)


checks.run(main)
