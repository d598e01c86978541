#!/usr/bin/env python3
"""The gateway's authentication against a Cognito that is not ours: moto makes the users and the tokens.

Ends with one line of JSON; its status is 0 when everything was as it should be.
"""

import time

import checks
from lab import LIVE_MATCH, Lab, options
from user_pools import PASSWORD, new_key

FOLLOWS = "/user/follows"


def main():
    arguments = options(__doc__).parse_args()
    check = checks.Check("cognito")
    with Lab(arguments.binaries, key_proxy=True) as lab:
        users_and_tokens(check, lab)
        signing_up(check, lab)
        strangers(check, lab)
        api_key(check, lab)
        rotation(check, lab)
        outage(check, lab)
        check.expect("no token in the gateway's log", not any(token in lab.log() for token in lab.tokens.values()))
        check.expect("no API key in the gateway's log", lab.api_key not in lab.log())
    return check.line(expectations=check.count, failed=len(check.failures))


def status(lab, token, method="GET", path=FOLLOWS, body=None, headers=None):
    return lab.request(method, path, body, token, headers).status


def follows(lab, token):
    return [item["matchId"] for item in lab.request("GET", FOLLOWS, token=token).json["follows"]]


def users_and_tokens(check, lab):
    for name in lab.pools.users:
        for kind in (name, f"{name}-id"):
            check.expect(f"{kind} token accepted", status(lab, lab.tokens[kind]) == 200)
    # Both of a user's tokens are the same user, and nobody else.
    followed = status(lab, lab.tokens["alice"], "POST", "/user/follow/match", {"matchId": str(LIVE_MATCH)})
    check.expect("alice follows", followed == 200, followed)
    check.expect("by her id token too", follows(lab, lab.tokens["alice-id"]) == [str(LIVE_MATCH)])
    check.expect("bob does not", follows(lab, lab.tokens["bob"]) == [])
    stored = lab.sql("SELECT user_id FROM match_follows")
    check.expect("her sub is what is stored", stored == [[lab.pools.users["alice"].sub]], stored)
    # The administration's calls are closed to users, and know the group admin; a gateway without them knows no such path.
    for name, expected in (("alice", {403, 404}), ("carol", {200, 404}), ("carol-id", {200, 404})):
        seen = status(lab, lab.tokens[name], path="/admin/config")
        check.expect(f"administration for {name}", seen in expected, seen)
    seen = {status(lab, lab.tokens[name], path="/admin/config") for name in ("alice", "carol")}
    check.expect("administrators are told apart, where there is administration", seen in ({403, 200}, {404}), seen)


def signing_up(check, lab):
    """As the app does it: sign up, confirm, sign in, refresh."""
    boto, pools = lab.pools.boto, lab.pools
    signed_up = boto.sign_up(
        ClientId=pools.client, Username="dave", Password=PASSWORD,
        UserAttributes=[{"Name": "email", "Value": "dave@example.com"}],
    )
    boto.confirm_sign_up(ClientId=pools.client, Username="dave", ConfirmationCode="000000")
    tokens = pools.sign_in("dave")
    for kind in ("AccessToken", "IdToken"):
        check.expect(f"a new user's {kind} accepted", status(lab, tokens[kind]) == 200)
    refreshed = boto.initiate_auth(
        AuthFlow="REFRESH_TOKEN_AUTH", ClientId=pools.client, AuthParameters={"REFRESH_TOKEN": tokens["RefreshToken"]}
    )["AuthenticationResult"]
    for kind in ("AccessToken", "IdToken"):
        check.expect(f"a refreshed {kind} accepted", status(lab, refreshed[kind]) == 200)
    check.expect("a refresh token is none", status(lab, tokens["RefreshToken"]) == 401)
    check.expect("a user's id is his sub", len(signed_up["UserSub"]) == 36)


def strangers(check, lab):
    pools = lab.pools
    alice = pools.users["alice"].sub
    now = int(time.time())
    tokens = {
        "none": None,
        "an expired token": lab.tokens["expired"],
        "another client's": lab.tokens["wrong-client"],
        "another client's id token": pools.sign_in("alice", pools.other_client)["IdToken"],
        "another pool's": lab.tokens["wrong-pool"],
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
        answer = lab.request("GET", FOLLOWS, token=token)
        check.expect(f"{name} refused", answer.status == 401 and "www-authenticate" in answer.headers, answer.status)
    check.expect("the same made well accepted", status(lab, pools.made_up(alice)) == 200)
    check.expect("an id token made well accepted", status(lab, pools.sign(pools.claims(alice, "id"))) == 200)


def api_key(check, lab):
    key = {"X-API-Key": lab.api_key}
    check.expect("an API key is no user", status(lab, None, headers=key) in (401, 403))
    check.expect("a key and a token are too many", status(lab, lab.tokens["alice"], headers=key) == 401)
    check.expect("a wrong key is refused", status(lab, None, headers={"X-API-Key": "0" * 64}) == 401)
    check.expect("what is public stays so", status(lab, None, path="/app/config", headers=key) == 200)


def rotation(check, lab):
    """moto does not rotate: the proxy before it publishes a second key, then only that."""
    pools = lab.pools
    alice = pools.users["alice"].sub
    key = new_key("next")
    token = pools.sign(pools.claims(alice), key=key, key_id="next")
    before = lab.proxy.fetches
    for _ in range(300):
        unknown = status(lab, token)
        if unknown != 401:
            break
    check.expect("a key that is not published is none", unknown == 401, unknown)
    check.expect("300 tokens of it cost two fetches at most", lab.proxy.fetches - before <= 2, lab.proxy.fetches - before)
    lab.proxy.publish(pools.key_with_id, key)
    check.eventually("a token of the new key is taken", lambda: status(lab, token) == 200, within=15)
    check.expect("and one of the old key still", status(lab, lab.tokens["alice"]) == 200)
    lab.proxy.publish(key)
    lab.restart_gateway()
    check.expect("a token of a key that was taken back is refused", status(lab, lab.tokens["alice"]) == 401)
    check.expect("one of the new key is not", status(lab, token) == 200)
    lab.proxy.keys = None
    lab.restart_gateway()


def outage(check, lab):
    pools = lab.pools
    pools.child.stop()
    for name in ("alice", "alice-id", "bob", "carol"):
        check.expect(f"{name}'s token without moto", status(lab, lab.tokens[name]) == 200)
    check.expect("an expired one without moto", status(lab, lab.tokens["expired"]) == 401)
    check.expect("ready without moto", lab.is_ready())
    # Who starts now has no keys.
    lab.restart_gateway(until_ready=False)
    answer = lab.request("GET", FOLLOWS, token=lab.tokens["alice"])
    check.expect("without keys a 503", answer.status == 503, answer.status)
    check.expect("which says when to try again", int(answer.headers.get("retry-after", 0)) > 0, answer.headers)
    ready = lab.request("GET", "/health/ready")
    check.expect("not ready", ready.status == 503, ready.status)
    check.expect("which says when to look again", int(ready.headers.get("retry-after", 0)) > 0, ready.headers)
    check.expect("but alive", status(lab, None, path="/health/live") == 200)
    check.expect("public calls are answered", status(lab, None, path="/app/config") == 200)
    pools.start()
    check.eventually("the gateway is ready again", lab.is_ready, within=20)
    check.expect("and takes tokens", status(lab, lab.tokens["alice"]) == 200)


checks.run(main)
