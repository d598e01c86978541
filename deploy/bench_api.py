"""A gateway for benchmarks, and the issuer whose key set it reads."""

import http.server
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time

ISSUER, CLIENT = "https://issuer.example/pool", "ios-app"


class KeyServer:
    """The issuer's key set."""

    def __init__(self, path):
        document = pathlib.Path(path).read_bytes()

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Length", str(len(document)))
                self.end_headers()
                self.wfile.write(document)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/jwks.json"


class Gateway:
    def __init__(self, lab, postgres, keys, folder, key_file=None):
        """`key_file`: TOKEN_KEY_FILE, where push tokens are encrypted."""
        run = f"{folder}/run"
        environment = {
            "PATH": "/usr/bin:/bin", "DATABASE_URL": postgres.url, "COGNITO_ISSUER": ISSUER, "COGNITO_CLIENT_ID": CLIENT,
            "COGNITO_JWKS_URL": keys.url, "SIGHTSCREEN_STAND_INS": "1", "GATEWAY_PORT": "0", "HEALTH_PORT": "0",
            "SIGHTSCREEN_RUN_DIR": run, "INSTANCE": "bench", "LOG_LEVEL": "warning", "RATE_LIMIT_FACTOR": "0",
        }
        if key_file:
            environment["TOKEN_KEY_FILE"] = key_file
        for name in ("LD_LIBRARY_PATH",):
            if name in os.environ:
                environment[name] = os.environ[name]
        self.log = open(f"{folder}/gateway.log", "wb")
        self.process = subprocess.Popen([lab], env=environment, stdout=self.log, stderr=self.log)
        self.pid = self.process.pid
        address = pathlib.Path(run, "api-gateway", "bench.http")
        for _ in range(300):
            if address.exists():
                break
            if self.process.poll() is not None:
                sys.exit(f"the gateway did not start; its log is {folder}/gateway.log")
            time.sleep(0.1)
        self.url = f"http://{address.read_text().strip()}"

    def memory(self):
        """MiB."""
        text = pathlib.Path(f"/proc/{self.pid}/status").read_text()
        return round(int(re.search(r"VmRSS:\s+(\d+)", text)[1]) / 1024, 1)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(30)
        self.log.close()
