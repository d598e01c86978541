import FoundationEssentials
import Glibc
import HTTPClient
import Testing

/// Against a server that is not ours: Python's, told to misbehave by the path.
@Suite(.serialized) struct HTTPClientTests {
    static let script = """
        import gzip, http.server, os, ssl, subprocess, sys, tempfile, time
        seen = []
        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *a): pass
            def answer(self, status, body=b'', headers=()):
                self.send_response(status)
                for name, value in headers: self.send_header(name, value)
                self.send_header('Content-Length', str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            def do_GET(self):
                path = self.path.split('?')[0]
                seen.append(self.path)
                if path == '/gzip': self.answer(200, gzip.compress(b'cricket' * 100), [('Content-Encoding', 'gzip')])
                elif path == '/bomb': self.answer(200, gzip.compress(b'0' * 5_000_000), [('Content-Encoding', 'gzip')])
                elif path == '/bigbomb':
                    self.answer(200, gzip.compress(b'0' * (70 << 20), 1), [('Content-Encoding', 'gzip')])
                elif path == '/seen': self.answer(200, '\\n'.join(seen).encode())
                elif path == '/slow': time.sleep(3); self.answer(200, b'late')
                elif path == '/redirect': self.answer(302, b'', [('Location', '/gzip')])
                elif path == '/fields': self.answer(200, b'', [(f'x-{n}', 'y') for n in range(200)])
                elif path == '/repeated': self.answer(200, b'', [('Retry-After', '7')] * 200)
                elif path == '/long': self.answer(200, b'', [('x', 'y' * 60_000)])
                elif path == '/interim':
                    for n in range(100_000): self.wfile.write(b'HTTP/1.1 103 Early Hints\\r\\nx: y\\r\\n\\r\\n')
                elif path == '/trailers':
                    self.wfile.write(b'HTTP/1.1 200 OK\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n1\\r\\nx\\r\\n0\\r\\n')
                    for n in range(100_000): self.wfile.write(b'x: y\\r\\n')
                elif path == '/error': self.answer(503, b'away', [('Retry-After', '7')])
                else: self.answer(200, b'plain')
            def do_POST(self):
                body = self.rfile.read(int(self.headers['Content-Length']))
                self.answer(201, self.headers.get('X-Echo', '').encode() + b':' + body)
        http.server.ThreadingHTTPServer.request_queue_size = 128
        server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        if len(sys.argv) > 1:
            names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=' + sys.argv[2]]
            subprocess.run(['openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout',
                sys.argv[1], '-out', sys.argv[1] + '.pem'] + names, check=True, stderr=subprocess.DEVNULL)
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(sys.argv[1] + '.pem', sys.argv[1])
            server.socket = context.wrap_socket(server.socket, server_side=True)
        sys.stdout.write(f'{server.server_port}\\n'); sys.stdout.flush()
        server.serve_forever()
        """

    /// A server for one test.
    final class Server: Sendable {
        let base: String
        private let pid: pid_t

        /// - Parameter tls: a file for its key (its self-signed certificate goes beside it, `.pem`) and whom it names,
        ///   as in `DNS:localhost`; nil for plain http.
        init(tls: (keyFile: String, names: String)? = nil) throws {
            var ends: [Int32] = [0, 0]
            guard pipe(&ends) == 0 else { throw CocoaError(.fileReadUnknown) }
            var actions = posix_spawn_file_actions_t()
            posix_spawn_file_actions_init(&actions)
            posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
            posix_spawn_file_actions_addclose(&actions, ends[0])
            let words = ["python3", "-c", HTTPClientTests.script] + (tls.map { [$0.keyFile, $0.names] } ?? [])
            var arguments: [UnsafeMutablePointer<CChar>?] = words.map { (word: String) in strdup(word) } + [nil]
            defer { arguments.forEach { free($0) } }
            var child = pid_t()
            guard posix_spawnp(&child, "python3", &actions, nil, &arguments, environ) == 0 else {
                throw CocoaError(.fileNoSuchFile)
            }
            close(ends[1])
            var buffer = [UInt8](repeating: 0, count: 32)
            let count = read(ends[0], &buffer, 32)
            close(ends[0])
            pid = child
            base =
                (tls == nil ? "http://127.0.0.1:" : "https://localhost:")
                + String(decoding: buffer.prefix(max(count, 0)).filter { $0 > 32 }, as: UTF8.self)
        }

        /// Called at the end of each test: Swift would let go of the server after its last use, mid-request.
        func stop() {
            kill(pid, SIGKILL)
            var status: Int32 = 0
            waitpid(pid, &status, 0)
        }
    }

    let client = HTTPClient(configuration: .init(connectTimeout: .seconds(1), allowHTTP: true))

    private func fails(_ request: HTTPClientRequest) async -> HTTPClientError? {
        do {
            _ = try await client.send(request)
            return nil
        } catch {
            return error as? HTTPClientError
        }
    }

    @Test func readsAnswersOfEveryStatusAndInflatesThem() async throws {
        let server = try Server()
        defer { server.stop() }
        let gzip = try await client.send(HTTPClientRequest(url: "\(server.base)/gzip"))
        #expect(gzip.status == 200 && gzip.body.count == 700)
        let error = try await client.send(HTTPClientRequest(url: "\(server.base)/error"))
        #expect(error.status == 503 && error.header("Retry-After") == "7" && error.body == Array("away".utf8))
    }

    @Test func sendsBodyAndHeaders() async throws {
        let server = try Server()
        defer { server.stop() }
        let answer = try await client.send(
            HTTPClientRequest(method: "POST", url: server.base, headers: [("X-Echo", "six")], body: Array("four".utf8)))
        #expect(answer.status == 201 && answer.body == Array("six:four".utf8))
        let empty = try await client.send(HTTPClientRequest(method: "POST", url: server.base, body: []))
        #expect(empty.body == Array(":".utf8))
    }

    @Test func neverFollowsARedirect() async throws {
        let server = try Server()
        defer { server.stop() }
        #expect(try await client.send(HTTPClientRequest(url: "\(server.base)/redirect")).status == 302)
    }

    @Test func stopsAtTheCapAfterInflation() async throws {
        let server = try Server()
        defer { server.stop() }
        let error = await fails(HTTPClientRequest(url: "\(server.base)/bomb?api_token=secret", bodyBytesMax: 100_000))
        #expect(error?.code == .tooLarge)
        #expect(error?.description.contains("secret") == false)
    }

    @Test(arguments: ["fields", "repeated", "long", "interim", "trailers"])
    func aHeaderHasABoundLikeABody(path: String) async throws {
        let server = try Server()
        defer { server.stop() }
        let error = await fails(HTTPClientRequest(url: "\(server.base)/\(path)?api_token=secret"))
        #expect(error?.code == .tooLarge, "\(String(describing: error))")
        #expect(error?.description.contains("header") == true && error?.description.contains("secret") == false)
    }

    @Test func aBombOfTheProvidersSizeCostsNoMoreThanTheCap() async throws {
        let server = try Server()
        defer { server.stop() }
        let error = await fails(
            HTTPClientRequest(url: "\(server.base)/bigbomb", timeout: .seconds(30), bodyBytesMax: 64 << 20))
        #expect(error?.code == .tooLarge)
    }

    @Test(arguments: ["DNS:localhost", "DNS:example.com"])
    func noByteOfARequestReachesAPeerThatIsNotWhoItSaysItIs(names: String) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "ss-tls-\(UInt64.random(in: 0 ... .max))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let key = folder.appending(path: "key").path
        let server = try Server(tls: (key, names))
        defer { server.stop() }
        // Nobody vouches for it.
        #expect(await fails(HTTPClientRequest(url: "\(server.base)/a?api_token=secret"))?.code == .tls)
        // Somebody does, and it must be the host that was asked for as well.
        let trusting = HTTPClient(configuration: .init(caFile: key + ".pem"))
        let request = HTTPClientRequest(url: "\(server.base)/seen?x=1")
        if names == "DNS:localhost" {
            #expect(String(decoding: try await trusting.send(request).body, as: UTF8.self) == "/seen?x=1")
        } else {
            await #expect { try await trusting.send(request) } throws: { ($0 as? HTTPClientError)?.code == .tls }
        }
    }

    @Test func givesUpInTimeAndWhenCancelled() async throws {
        let server = try Server()
        defer { server.stop() }
        #expect(
            await fails(HTTPClientRequest(url: "\(server.base)/slow", timeout: .milliseconds(100)))?.code == .timeout)
        let task = Task { try await client.send(HTTPClientRequest(url: "\(server.base)/slow")) }
        try await Task.sleep(for: .milliseconds(50))
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func saysWhatKindOfFailureItWas() async throws {
        #expect(await fails(HTTPClientRequest(url: "http://127.0.0.1:1/"))?.code == .connect)
        #expect(await fails(HTTPClientRequest(url: "gopher://127.0.0.1/"))?.code == .badRequest)
        #expect(
            await fails(HTTPClientRequest(url: "http://127.0.0.1/", headers: [("a", "b\r\nc: d")]))?.code == .badRequest
        )
        let server = try Server()
        defer { server.stop() }
        let strict = HTTPClient()
        await #expect(throws: HTTPClientError.self) { try await strict.send(HTTPClientRequest(url: server.base)) }
    }

    @Test func answersManyRequestsAtOnce() async throws {
        let server = try Server()
        defer { server.stop() }
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<50 { group.addTask { try await client.send(HTTPClientRequest(url: server.base)).status } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses == Array(repeating: 200, count: 50))
    }
}
