"""Amazon Cognito as moto plays it: user pools, their users, and every kind of token."""

import dataclasses
import http.client
import http.server
import json
import os
import sys
import threading
import time
import uuid

import boto3
import botocore.config
from joserfc import jwk, jwt
from moto.utilities.utils import load_resource


REGION = "us-east-1"
PASSWORD = "Corr3ct-horse!"

# Nothing that is set up for the real cloud may reach this one's client.
for name in [name for name in os.environ if name.startswith("AWS_")]:
    del os.environ[name]


@dataclasses.dataclass
class User:
    name: str
    sub: str
    groups: list


class UserPools:
    """The gateway's pool with its app and another client of it, and somebody else's pool."""

    def __init__(self, suite):
        self.process = suite.begin(
            "moto", program=sys.executable, arguments=["-m", "moto.server", "-H", "127.0.0.1", "-p", "$PORT"])
        self.url = self.process.ready.removesuffix("/health/ready")
        # All of moto's pools sign with one key, which is in its package.
        self.key = jwk.RSAKey.import_key(load_resource("cognitoidp/resources/jwks-private.json"))
        self.key_id = load_resource("cognitoidp/resources/jwks-public.json")["keys"][0]["kid"]
        self.users = {}
        self.pool = self.client = self.other_client = self.other_pool = self.other_pools_client = None

    def start(self):
        """Again: moto has forgotten everything except its key."""
        self.process.start()
        self.wait()

    def wait(self):
        self.process.wait_until("moto answers", lambda: self.document("/us-east-1_x/.well-known/jwks.json")[0] == 200)

    def create(self):
        self.wait()
        self.boto = boto3.client(
            "cognito-idp", region_name=REGION, endpoint_url=self.url, aws_access_key_id="lab",
            aws_secret_access_key="lab", config=botocore.config.Config(proxies={}, retries={"max_attempts": 2}),
        )
        self.pool, self.client = self.make_pool("fans")
        self.other_client = self.make_client(self.pool, "another app")
        self.other_pool, self.other_pools_client = self.make_pool("strangers")
        self.boto.create_group(UserPoolId=self.pool, GroupName="admin")
        for name, groups in (("alice", []), ("bob", []), ("carol", ["admin"])):
            self.users[name] = self.make_user(self.pool, name, groups)
        self.make_user(self.other_pool, "mallory", [])

    def make_pool(self, name):
        pool = self.boto.create_user_pool(PoolName=name, AutoVerifiedAttributes=["email"])["UserPool"]["Id"]
        return pool, self.make_client(pool, f"{name} app")

    def make_client(self, pool, name):
        made = self.boto.create_user_pool_client(
            UserPoolId=pool, ClientName=name,
            ExplicitAuthFlows=["ALLOW_USER_PASSWORD_AUTH", "ALLOW_ADMIN_USER_PASSWORD_AUTH", "ALLOW_REFRESH_TOKEN_AUTH"],
        )
        return made["UserPoolClient"]["ClientId"]

    def make_user(self, pool, name, groups):
        made = self.boto.admin_create_user(
            UserPoolId=pool, Username=name, MessageAction="SUPPRESS",
            UserAttributes=[{"Name": "email", "Value": f"{name}@example.com"}, {"Name": "email_verified", "Value": "true"}],
        )
        self.boto.admin_set_user_password(UserPoolId=pool, Username=name, Password=PASSWORD, Permanent=True)
        for group in groups:
            self.boto.admin_add_user_to_group(UserPoolId=pool, Username=name, GroupName=group)
        return User(name, {item["Name"]: item["Value"] for item in made["User"]["Attributes"]}["sub"], groups)

    # What the gateway is told.

    @property
    def issuer(self):
        return f"https://cognito-idp.{REGION}.amazonaws.com/{self.pool}"

    @property
    def keys_url(self):
        return f"{self.url}/{self.pool}/.well-known/jwks.json"

    def document(self, path):
        connection = http.client.HTTPConnection(self.url.removeprefix("http://"), timeout=5)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    @property
    def key_with_id(self):
        """moto's key as moto publishes it."""
        return jwk.RSAKey.import_key(self.key.as_dict(private=True) | {"kid": self.key_id})

    # Tokens.

    def sign_in(self, name, client=None):
        """The tokens that a user gets for the password: `{"AccessToken": …, "IdToken": …, "RefreshToken": …}`."""
        return self.boto.initiate_auth(
            AuthFlow="USER_PASSWORD_AUTH", ClientId=client or self.client,
            AuthParameters={"USERNAME": name, "PASSWORD": PASSWORD},
        )["AuthenticationResult"]

    def claims(self, sub, use="access", expires_in=3600, **changes):
        """As moto writes them; a change of None leaves a claim out."""
        now = int(time.time())
        claims = {
            "iss": self.issuer, "sub": sub, "token_use": use, "iat": now - 7200, "auth_time": now - 7200,
            "exp": now + expires_in, "jti": str(uuid.uuid4()), "origin_jti": str(uuid.uuid4()),
            "client_id" if use == "access" else "aud": self.client,
        }
        if use == "access":
            claims |= {"username": sub, "scope": "aws.cognito.signin.user.admin"}
        else:
            claims["cognito:username"] = sub
        claims |= changes
        return {name: value for name, value in claims.items() if value is not None}

    def sign(self, claims, key=None, key_id=None):
        """A token with any claims, signed with moto's key or another."""
        return jwt.encode({"kid": key_id or self.key_id, "alg": "RS256"}, claims, key or self.key)

    def made_up(self, sub, **changes):
        """An access token of a user whom moto does not know."""
        return self.sign(self.claims(sub, **changes))

    def tokens(self):
        """One of each kind, by name."""
        alice = self.users["alice"].sub
        tokens = {}
        for name in self.users:
            signed_in = self.sign_in(name)
            tokens[name] = signed_in["AccessToken"]
            tokens[f"{name}-id"] = signed_in["IdToken"]
        tokens["expired"] = self.made_up(alice, expires_in=-120)
        tokens["wrong-client"] = self.sign_in("alice", self.other_client)["AccessToken"]
        tokens["wrong-pool"] = self.sign_in("mallory", self.other_pools_client)["AccessToken"]
        return tokens


class KeyProxy:
    """Stands between the gateway and moto's keys, and can publish others instead: moto does not rotate."""

    def __init__(self, pools):
        self.pools = pools
        self.keys = None
        self.fetches = 0
        proxy = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                proxy.fetches += 1
                try:
                    status, body = proxy.answer(self.path)
                except OSError:
                    status, body = 502, b""
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def answer(self, path):
        status, body = self.pools.document(path)
        if self.keys is None or status != 200:
            return status, body
        return 200, json.dumps({"keys": self.keys}).encode()

    def publish(self, *keys):
        """Publishes these keys in place of moto's, as long as moto answers."""
        self.keys = [key.as_dict(private=False) | {"alg": "RS256", "use": "sig"} for key in keys]

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


def new_key(key_id):
    return jwk.RSAKey.generate_key(2048, {"kid": key_id})
