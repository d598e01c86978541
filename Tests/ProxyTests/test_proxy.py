#!/usr/bin/env python3
"""Shows what the proxy does with gateways that come, go, die and hang up: Tests/ProxyTests/test_proxy.py [-v] [NAME …]

Everything listens on addresses of 127.0.0.0/8. Needs haproxy and openssl; takes some fifteen seconds without arguments."""

import concurrent.futures
import http.client
import json
import os
import re
import resource
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../DeployTests"))
import metrics  # noqa: E402
from proxy_fixture import DEPLOYED, PROBLEM, Gateway, Names, Proxy, eventually, free_port  # noqa: E402


class ProxyTests(unittest.TestCase):
    def setUp(self):
        self.names = Names()
        self.port = free_port()
        self.gateways = []
        self.addCleanup(self.names.close)

    def gateway(self, number):
        try:
            gateway = Gateway(f"127.0.77.{number}", self.port)
        except OSError:
            # Somebody else's since it was free. Later ones have to be where the first is.
            if self.gateways:
                raise
            self.port = free_port()
            return self.gateway(number)
        self.gateways.append(gateway)
        self.names.addresses = [each.address for each in self.gateways]
        self.addCleanup(lambda: gateway.address and gateway.die() if gateway.listener.fileno() >= 0 else None)
        return gateway

    def proxy(self, gateways, **more):
        proxy = Proxy(self.port, self.names.port, **more)
        self.addCleanup(proxy.stop)
        eventually(f"{gateways} gateways are up", lambda: proxy.usable() == gateways)
        return proxy

    def by(self, proxy):
        return json.loads(proxy.ask("GET", "/matches/live")[2])["by"]

    # Replicas

    def test_finds_replicas_that_come_and_forgets_those_that_go(self):
        first, second = self.gateway(1), self.gateway(2)
        proxy = self.proxy(2)
        self.assertEqual({self.by(proxy) for _ in range(20)}, {first.address, second.address})
        third = self.gateway(3)
        eventually("the third is found", lambda: self.by(proxy) == third.address)
        self.names.addresses = [third.address]
        eventually("two are gone", lambda: proxy.usable() == 1)
        self.assertEqual({self.by(proxy) for _ in range(20)}, {third.address})

    @unittest.skipUnless(os.geteuid() == 0, "port 53 and mounts are root's")
    def test_the_servers_of_resolv_conf_are_asked_unless_another_is_named(self):
        gateway = self.gateway(1)
        names = Names("127.0.77.53", 53)
        names.addresses = [gateway.address]
        self.addCleanup(names.close)
        with tempfile.NamedTemporaryFile("w") as file:
            print("search example.test\nnameserver 127.0.77.53\noptions ndots:5", file=file, flush=True)
            self.names.close()
            self.assertEqual(self.by(self.proxy(1, resolv_conf=file.name, PROXY_RESOLVER="")), gateway.address)

    def test_a_killed_replica_costs_no_request(self):
        first, second = self.gateway(1), self.gateway(2)
        proxy = self.proxy(2)
        answers = []
        for number in range(200):
            if number == 50:
                first.die()
            answers.append(proxy.ask("POST" if number % 2 else "GET", "/matches/1/follow", body=b"{}")[0])
        self.assertEqual(set(answers), {200})
        self.assertEqual(len(first.seen) + len(second.seen), 200, "none was asked twice")

    def test_a_request_that_was_sent_is_repeated_only_when_it_reads(self):
        first, second = self.gateway(1), self.gateway(2)
        proxy = self.proxy(2)
        first.hangs_up = True
        read = [proxy.ask("GET", "/user/follows")[0] for _ in range(6)]
        self.assertEqual(set(read), {200})
        self.assertGreater(len(first.calls("GET")), 0, "the one that hangs up was asked, too")
        first.seen.clear()
        second.seen.clear()
        answers = []
        while not first.calls("POST"):
            answers.append(proxy.ask("POST", "/matches/1/follow", body=b"{}"))
        self.assertEqual(len(first.calls("POST")) + len(second.calls("POST")), len(answers), "none was sent twice")
        status, fields, body = answers[-1]
        self.assertEqual((status, fields["content-type"]), (502, PROBLEM))
        self.assertEqual(json.loads(body)["type"], "/problems/unavailable")

    def test_a_replica_that_is_not_ready_is_asked_nothing(self):
        first, second = self.gateway(1), self.gateway(2)
        proxy = self.proxy(2)
        first.is_ready = False
        eventually("one is left", lambda: proxy.usable() == 1)
        self.assertEqual({self.by(proxy) for _ in range(10)}, {second.address})

    def test_when_none_is_ready_they_answer_themselves(self):
        first = self.gateway(1)
        proxy = self.proxy(1)
        first.is_ready = False
        eventually("none is left", lambda: proxy.usable() == 0)
        self.assertFalse(proxy.ready())
        self.assertEqual(self.by(proxy), first.address)
        first.is_ready = True
        eventually("it is back", proxy.ready)

    def test_without_any_replica_there_is_a_problem_document(self):
        self.gateway(1).die()
        proxy = self.proxy(0)
        begun = time.monotonic()
        status, fields, body = proxy.ask("POST", "/user/follow/match", body=b"{}", headers={"X-Request-ID": "r-1"})
        self.assertLess(time.monotonic() - begun, 5)
        self.assertEqual((status, fields["content-type"], fields["retry-after"]), (503, PROBLEM, "2"))
        self.assertEqual(json.loads(body)["requestId"], "r-1")

    def test_a_name_server_that_is_away_takes_nobody_away(self):
        first = self.gateway(1)
        proxy = self.proxy(1)
        self.names.close()
        # Longer than an answer of it holds, and its retries.
        time.sleep(3)
        self.assertEqual(self.by(proxy), first.address)

    def test_connections_are_kept(self):
        first = self.gateway(1)
        proxy = self.proxy(1)
        connection = http.client.HTTPConnection("127.0.0.1", proxy.port)
        self.addCleanup(connection.close)
        for _ in range(100):
            self.assertEqual(proxy.ask("GET", "/user/follows", connection=connection)[0], 200)
        self.assertLessEqual(first.connections, 2)

    # Clients

    def test_what_a_client_says_of_its_address_is_replaced(self):
        self.gateway(1)
        proxy = self.proxy(1)
        for name in ("X-Forwarded-For", "x-forwarded-for"):
            answer = json.loads(proxy.ask("GET", "/", headers={name: "192.0.2.1, 192.0.2.2"})[2])
            self.assertEqual(answer["for"], "127.0.0.1")
        answer = proxy.raw(
            b"GET / HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 192.0.2.1\r\nX-Forwarded-For: 192.0.2.2\r\n"
            b"Connection: close\r\n\r\n", source="127.0.77.99")
        self.assertIn(b'"for": "127.0.77.99"', answer)

    def test_a_proxy_in_front_is_believed(self):
        self.gateway(1)
        proxy = self.proxy(1, PROXY_FRONT="127.0.77.98 127.0.78.0/24", PROXY_FRONT_LOCAL="127.0.77.95", PROXY_TLS="")
        head = b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
        named = head + b"X-Forwarded-For: 192.0.2.1\r\n\r\n"
        self.assertIn(b'"for": "192.0.2.1"', proxy.raw(named, source="127.0.77.98"))
        self.assertIn(b'"for": "192.0.2.1"', proxy.raw(named, source="127.0.78.5"))
        self.assertIn(b'"for": "192.0.2.1"', proxy.raw(named, source="127.0.77.95"))
        self.assertIn(b'"for": "127.0.77.97"', proxy.raw(named, source="127.0.77.97"))
        self.assertIn(b'"for": "127.0.77.98"', proxy.raw(head + b"\r\n", source="127.0.77.98"))

    def test_sizes_are_the_gateways(self):
        first = self.gateway(1)
        proxy = self.proxy(1)
        status, _, body = proxy.ask("POST", "/devices", body=b"x" * 16384)
        self.assertEqual((status, json.loads(body)["bytes"]), (200, 16384))
        status, fields, body = proxy.ask("POST", "/devices", body=b"x" * 16385)
        self.assertEqual((status, fields["content-type"], json.loads(body)["type"]), (413, PROBLEM, "/problems/body-too-large"))
        # In chunks nobody says beforehand how much there is.
        chunked = b"POST /devices HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
        pieces = b"".join(b"1000\r\n" + b"x" * 4096 + b"\r\n" for _ in range(5))
        self.assertIn(b" 413 ", proxy.raw(chunked + pieces + b"0\r\n\r\n").split(b"\r\n")[0])
        self.assertEqual(len(first.calls("POST")), 1)
        head = {f"X-Field-{number}": "v" * 1000 for number in range(15)}
        self.assertEqual(proxy.ask("POST", "/devices", body=b"x" * 16384, headers=head)[0], 200)
        self.assertEqual(proxy.ask("GET", "/" + "a" * 2047)[0], 200)
        self.assertEqual(proxy.ask("GET", "/" + "a" * 2048)[0], 414)

    def test_a_slow_client_keeps_no_gateway_waiting(self):
        first = self.gateway(1)
        proxy = self.proxy(1)
        with socket.create_connection(("127.0.0.1", proxy.port)) as client:
            client.sendall(b"POST /devices HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nab")
            # Whatever was sent on at once would have come long before this answer.
            self.assertEqual(proxy.ask("GET", "/")[0], 200)
            self.assertEqual(first.calls("POST"), [])
            client.sendall(b"cd")
            self.assertIn(b"200", client.recv(65536))
        self.assertEqual([call[3] for call in first.calls("POST")], [b"abcd"])

    def test_ambiguous_requests_end_here(self):
        first = self.gateway(1)
        proxy = self.proxy(1)
        for lines in (
            b"Content-Length: 3\r\nContent-Length: 4\r\n",
            b"Content-Length: 3\r\nTransfer-Encoding: gzip\r\n",
            b"Bad Name: x\r\n",
        ):
            answer = proxy.raw(b"POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" + lines + b"\r\nabc")
            self.assertTrue(answer.startswith(b"HTTP/1.1 400 "), answer[:80])
        self.assertEqual(first.seen, [])

    def test_who_stops_in_the_middle_is_told_so(self):
        first = self.gateway(1)
        proxy = self.proxy(1)
        begun = time.monotonic()
        answer = proxy.raw(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nab")
        self.assertTrue(answer.startswith(b"HTTP/1.1 408 "), answer[:80])
        self.assertIn(PROBLEM.encode(), answer)
        self.assertLess(time.monotonic() - begun, 15)
        self.assertEqual(first.seen, [])

    def test_a_request_keeps_its_name_if_it_is_one(self):
        first = self.gateway(1)
        proxy = self.proxy(1)
        proxy.ask("GET", "/", headers={"X-Request-ID": "phone-7"})
        proxy.ask("GET", "/", headers={"X-Request-ID": '"}<script>'})
        names = [call[2]["x-request-id"] for call in first.seen]
        self.assertEqual(names[0], "phone-7")
        self.assertRegex(names[1], "^[0-9a-f-]{36}$")

    # Many connections from one address

    def held(self, proxy, source, count):
        """Connections that stay open to the end of the test, without those that were refused."""
        found = [connection for connection in (proxy.connect(source) for _ in range(count)) if connection]
        for connection in found:
            self.addCleanup(connection.close)
        return found

    def passed(self, proxy, source, count):
        """How many of these connections were served, each closed before the next one."""
        return sum(1 for _ in range(count) if (connection := proxy.connect(source)) and connection.close() is None)

    def test_one_address_gets_a_part_of_the_slots(self):
        self.gateway(1)
        proxy = self.proxy(1, PROXY_ADDRESS_CONNECTIONS="5")
        mine = self.held(proxy, "127.0.77.96", 8)
        self.assertEqual(len(mine), 5)
        self.assertEqual(proxy.metric('haproxy_frontend_denied_connections_total{proxy="api"}'), 3)
        self.assertEqual(len(self.held(proxy, "127.0.77.94", 5)), 5, "another address is served")
        mine[0].close()
        eventually("there is room for another one", lambda: self.held(proxy, "127.0.77.96", 1))
        self.assertEqual(self.held(proxy, "127.0.77.96", 3), [])
        self.assertNotIn("127.0.77.96", proxy.lines())

    def test_one_address_opens_a_number_of_connections_in_ten_seconds(self):
        self.gateway(1)
        proxy = self.proxy(1, PROXY_ADDRESS_NEW="20")
        begun = time.monotonic()
        self.assertEqual(self.passed(proxy, "127.0.77.96", 30), 20)
        self.assertEqual(self.passed(proxy, "127.0.77.94", 20), 20, "another address is served")
        # Those that were refused do not count, so an address that goes on trying is served again, too.
        eventually("it is served again", lambda: self.passed(proxy, "127.0.77.96", 1), seconds=15)
        self.assertGreater(time.monotonic() - begun, 5)

    def test_exempt_addresses_and_proxies_in_front_have_no_bound(self):
        self.gateway(1)
        with tempfile.NamedTemporaryFile("w", suffix=".exempt") as file:
            file.write("# an office\n127.0.77.96\n\n127.0.78.0/24\n")
            file.flush()
            proxy = self.proxy(
                1, PROXY_ADDRESS_CONNECTIONS="3", PROXY_ADDRESS_NEW="6", PROXY_EXEMPT=file.name, PROXY_FRONT="127.0.77.93")
        for source, served in (("127.0.77.96", 10), ("127.0.78.5", 10), ("127.0.77.93", 10), ("127.0.77.94", 3)):
            self.assertEqual(len(self.held(proxy, source, 10)), served, source)

    def test_without_settings_the_bounds_hold_and_leave_most_slots_to_others(self):
        with open(os.path.join(DEPLOYED, "haproxy.cfg"), encoding="utf-8") as file:
            text = file.read()
        slots = int(re.search(r"^    maxconn (\d+)$", text, re.M)[1])
        connections = int(re.search(r"^    setenv PROXY_ADDRESS_CONNECTIONS (\d+)$", text, re.M)[1])
        self.assertLessEqual(connections, slots // 4)
        self.gateway(1)
        # Empty, as the compose file hands on what was not set.
        proxy = self.proxy(1, PROXY_ADDRESS_CONNECTIONS="", PROXY_ADDRESS_NEW="")
        self.assertEqual(len(self.held(proxy, "127.0.77.96", 300)), 300, "a small network is served whole")
        rest = connections - 300
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 8192)), hard))
        many = [socket.create_connection(("127.0.0.1", proxy.port), source_address=("127.0.77.96", 0)) for _ in range(rest)]
        for connection in many:
            self.addCleanup(connection.close)
        eventually(
            "they are all there",
            lambda: proxy.metric('haproxy_frontend_current_sessions{proxy="api"}') == connections)
        self.assertIsNone(proxy.connect("127.0.77.96"))
        self.assertEqual(len(self.held(proxy, "127.0.77.94", 10)), 10)

    # Operation

    def test_the_log_has_neither_addresses_nor_paths(self):
        first = self.gateway(1)
        proxy = self.proxy(1)
        first.hangs_up = True
        self.assertEqual(proxy.ask("DELETE", "/devices/0123456789abcdef")[0], 502)
        line = eventually("a line", lambda: [line for line in proxy.lines().splitlines() if '"Request"' in line])[-1]
        said = json.loads(line)
        self.assertEqual((said["status"], said["http.method"]), (502, "DELETE"))
        self.assertNotIn("0123456789abcdef", proxy.lines())
        self.assertNotIn("127.0.0.1", proxy.lines())

    def test_has_the_metrics_that_dashboard_and_alerts_ask_for(self):
        self.gateway(1)
        proxy = self.proxy(1)
        self.assertEqual(proxy.ask("GET", "/")[0], 200)
        text = proxy.ask("GET", "/metrics", port=proxy.health)[2].decode()
        for name in metrics.OTHERS:
            if name.startswith("haproxy_"):
                self.assertIn(f"\n{name}{{", text)
        for place in ('haproxy_backend_active_servers{proxy="gateways"}', 'haproxy_frontend_current_sessions{proxy="api"}'):
            self.assertIn(f"\n{place} ", text)

    def test_ends_tls_when_it_has_a_certificate(self):
        self.gateway(1)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        certificate = os.path.join(folder.name, "tls.pem")
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
             "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
             "-out", certificate, "-keyout", certificate + ".key"], check=True, capture_output=True)
        proxy = self.proxy(1, PROXY_TLS="1", PROXY_CERTIFICATE=certificate, PROXY_FRONT_LOCAL="127.0.0.1")

        def handshake(context):
            with socket.create_connection(("127.0.0.1", proxy.port), timeout=10) as plain:
                with context.wrap_socket(plain, server_hostname="localhost") as connection:
                    chosen = connection.selected_alpn_protocol()
                    if chosen == "h2":
                        return chosen, b""
                    connection.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 192.0.2.1\r\nConnection: close\r\n\r\n")
                    answer = b""
                    while part := connection.recv(65536):
                        answer += part
                    return chosen, answer

        context = ssl.create_default_context(cafile=certificate)
        _, answer = handshake(context)
        self.assertIn(b'"for": "127.0.0.1"', answer)
        self.assertIn(b"strict-transport-security", answer.lower())
        context.set_alpn_protocols(["h2", "http/1.1"])
        self.assertEqual(handshake(context)[0], "h2")
        old = subprocess.run(
            ["openssl", "s_client", "-connect", f"127.0.0.1:{proxy.port}", "-tls1_1", "-cipher", "ALL@SECLEVEL=0"],
            stdin=subprocess.DEVNULL, capture_output=True, text=True)
        self.assertIn("alert protocol version", old.stderr)

    def test_ends_when_asked_with_the_requests_under_way_answered(self):
        self.gateway(1)
        proxy = self.proxy(1)
        with socket.create_connection(("127.0.0.1", proxy.port)) as client:
            client.sendall(b"POST /devices HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nab")
            proxy.ask("GET", "/")
            proxy.process.send_signal(signal.SIGUSR1)

            def refuses():
                try:
                    socket.create_connection(("127.0.0.1", proxy.port)).close()
                except ConnectionRefusedError:
                    return True
                except ConnectionResetError:
                    # It was waiting to be taken when the socket was closed.
                    return False

            eventually("new connections are refused", refuses)
            client.sendall(b"cd")
            self.assertIn(b"200", client.recv(65536))
        self.assertEqual(proxy.process.wait(timeout=10), 0)


def side_by_side():
    """They wait more than they work. What fails is shown when all are done."""
    tests = list(unittest.defaultTestLoader.loadTestsFromTestCase(ProxyTests))
    results = [unittest.TestResult() for _ in tests]
    with concurrent.futures.ThreadPoolExecutor(6) as threads:
        list(threads.map(lambda test, result: test.run(result), tests, results))
    bad = [trouble for result in results for trouble in result.failures + result.errors]
    for test, text in bad:
        print(f"{test}\n{text}", file=sys.stderr)
    print(f"the proxy: {len(tests)} tests, {len(bad)} failed")
    return 1 if bad else 0


if __name__ == "__main__":
    if len(sys.argv) > 1:
        unittest.main()
    sys.exit(side_by_side())
