import HTTP2
import Testing

@Suite struct HTTP2SessionTests {
    /// Both ends of a connection, and what each of them saw.
    struct Pair {
        let client: HTTP2Session
        let server: HTTP2Session
        var clientEvents: [HTTP2Session.Event] = []
        var serverEvents: [HTTP2Session.Event] = []

        init(server settings: HTTP2Session.Settings = .init(concurrentStreamsMax: 100), bodyBytesMax: Int = 10_000)
            throws
        {
            client = HTTP2Session(role: .client, settings: .init(), bodyBytesMax: bodyBytesMax)
            server = HTTP2Session(role: .server, settings: settings, bodyBytesMax: bodyBytesMax)
            try exchange()
            clientEvents = []
            serverEvents = []
        }

        mutating func exchange() throws {
            var moved = true
            while moved {
                moved = false
                while let bytes = try client.nextOutput() {
                    try server.receive(bytes)
                    moved = true
                }
                while let bytes = try server.nextOutput() {
                    try client.receive(bytes)
                    moved = true
                }
            }
            clientEvents += client.takeEvents()
            serverEvents += server.takeEvents()
        }

        func request(_ path: String, body: [UInt8] = []) throws -> Int32 {
            let template = HTTP2HeaderTemplate(
                authority: "localhost",
                fields: [
                    HTTP2Field("authorization", "bearer x", neverIndexed: true), HTTP2Field("apns-priority", "10"),
                ])
            return try #require(client.request(path: path, headers: template, body: body))
        }
    }

    @Test(arguments: [0, 1, 1_000, 5_000])
    func carriesARequestAndItsAnswer(bytes: Int) throws {
        var pair = try Pair()
        let body = (0..<bytes).map { UInt8(truncatingIfNeeded: $0) }
        let stream = try pair.request("/3/device/abc", body: body)
        try pair.exchange()
        guard case .message(stream, let request)? = pair.serverEvents.first else {
            Issue.record("no request: \(pair.serverEvents)")
            return
        }
        #expect(request.fields[":path"] == "/3/device/abc")
        #expect(request.fields[":method"] == "POST")
        #expect(request.fields["apns-priority"] == "10")
        #expect(request.body == body)
        pair.server.respond(
            stream: stream, HTTP2Response(status: 410, headers: [HTTP2Field("apns-id", "1")], body: body))
        try pair.exchange()
        #expect(
            pair.clientEvents == [
                .message(
                    stream: stream,
                    .init(
                        fields: [HTTP2Field(":status", "410"), HTTP2Field("apns-id", "1")], body: body,
                        bodyIsTooLarge: false)),
                .closed(stream: stream, .noError),
            ])
    }

    @Test func keepsPathAndAuthorizationOutOfEveryTable() throws {
        var pair = try Pair()
        _ = try pair.request("/3/device/abc")
        try pair.exchange()
        guard case .message(_, let request)? = pair.serverEvents.first else { return }
        #expect(request.fields.filter(\.neverIndexed).map(\.name) == [":path", "authorization"])
    }

    @Test func saysOfStreamsAboveTheLastOneThatTheyWereRefused() throws {
        var pair = try Pair()
        let first = try pair.request("/a")
        let second = try pair.request("/b")
        try pair.exchange()
        pair.server.goAway(lastStream: first, .noError, debugData: Array("why".utf8))
        try pair.exchange()
        #expect(
            pair.clientEvents == [
                .closed(stream: second, .refusedStream),
                .goAway(lastStream: first, .noError, debugData: Array("why".utf8)),
            ]
                || pair.clientEvents == [
                    .goAway(lastStream: first, .noError, debugData: Array("why".utf8)),
                    .closed(stream: second, .refusedStream),
                ])
        pair.server.respond(stream: first, HTTP2Response(status: 200))
        try pair.exchange()
        #expect(pair.clientEvents.contains { if case .message(first, _) = $0 { true } else { false } })
    }

    @Test func cutsOffABodyThatIsTooLargeAndSaysSo() throws {
        var pair = try Pair(bodyBytesMax: 100)
        _ = try pair.request("/a", body: [UInt8](repeating: 7, count: 101))
        try pair.exchange()
        guard case .message(_, let request)? = pair.serverEvents.first else { return }
        #expect(request.body.count == 100)
        #expect(request.bodyIsTooLarge)
    }

    @Test func tellsWhatThePeerAllows() throws {
        var pair = try Pair(server: .init(concurrentStreamsMax: 1))
        #expect(pair.client.peerConcurrentStreamsMax == 1)
        pair.server.announce(.init(concurrentStreamsMax: 500))
        try pair.exchange()
        #expect(pair.client.peerConcurrentStreamsMax == 500)
        #expect(pair.clientEvents == [.settings])
    }

    @Test func refusesBytesThatAreNotHTTP2() throws {
        let server = HTTP2Session(role: .server, settings: .init(), bodyBytesMax: 10)
        #expect(throws: HTTP2Error.self) {
            try Array("GET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8).withUnsafeBytes { try server.receive($0) }
        }
    }
}
