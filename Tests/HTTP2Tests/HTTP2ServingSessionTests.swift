import Testing

@testable import HTTP2

/// The serving session and a client's, in memory.
@Suite struct HTTP2ServingSessionTests {
    final class Pair {
        let client: HTTP2SendingSession
        let server: HTTP2ServingSession
        var outcomes: [Int: HTTP2Outcome] = [:]
        var requests: [HTTP2Request] = []
        var fields: [HTTP2Field] = []
        static let template = HTTP2HeaderTemplate(
            authority: "localhost",
            fields: [HTTP2Field("authorization", "bearer x", neverIndexed: true), HTTP2Field("apns-priority", "10")])

        init(
            server settings: HTTP2Settings = .init(concurrentStreamsMax: 100), bodyBytesMax: Int = 200_000
        ) throws {
            client = HTTP2SendingSession(slotCount: 100, replyBytesMax: 10_000, keepsHeaders: true)
            server = HTTP2ServingSession(
                id: HTTP2ConnectionID(rawValue: 1), settings: settings, bodyBytesMax: bodyBytesMax)
            client.onOutcome = { [unowned self] tag, outcome in outcomes[tag] = outcome }
            server.onRequest = { [unowned self] arrival in
                requests.append(arrival.request)
                fields = (0..<arrival.fieldCount).map(arrival.field)
            }
            try exchange()
        }

        func exchange() throws {
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
        }

        /// What the client may still send, as long as something is under way.
        var window: Int { (0...200_000).last { client.hasRoom(forBody: $0) } ?? 0 }

        func send(_ tag: Int, body: [UInt8] = []) throws {
            #expect(client.hasRoom(forBody: body.count))
            let path = Array("/\(tag)".utf8)
            let isSent = path.withUnsafeBufferPointer {
                client.submit(
                    path: $0, headers: Self.template, body: HTTP2SharedBody(body), tag: tag, deadline: .max)
            }
            #expect(isSent)
            try exchange()
        }
    }

    @Test(arguments: [0, 1, 1_000, 150_000])
    func carriesARequestAndItsAnswer(bytes: Int) throws {
        let pair = try Pair()
        let body = (0..<bytes).map { UInt8(truncatingIfNeeded: $0) }
        try pair.send(7, body: body)
        let request = try #require(pair.requests.first)
        #expect(request.path == "/7")
        #expect(request.method == "POST")
        #expect(request.headers["apns-priority"] == "10")
        #expect(request.body == body)
        #expect(!request.bodyIsTooLarge)
        let response = HTTP2Response(
            status: 410, headers: [HTTP2Field("apns-id", "1")], body: Array(body.prefix(9_000)))
        pair.server.answer(stream: request.streamID, .respond(response))
        try pair.exchange()
        #expect(pair.outcomes == [7: .response(response)])
    }

    @Test func fillsInWhatVaries() throws {
        let pair = try Pair()
        let answer = HTTP2Answer(
            status: 200, varying: [.init("apns-id", count: 3), .init("apns-unique-id", count: 2)],
            fields: [HTTP2Field("x", "y")])
        for (tag, text) in [(1, "abcde"), (2, "fghij")] {
            try pair.send(tag)
            var values = HTTP2Answer.Values()
            values.withUnsafeMutableBytes { $0.copyBytes(from: text.utf8) }
            pair.server.answer(stream: try #require(pair.requests.last).streamID, .answer(answer, values))
            try pair.exchange()
            let headers = [
                HTTP2Field("apns-id", String(text.prefix(3))), HTTP2Field("apns-unique-id", String(text.suffix(2))),
                HTTP2Field("x", "y"),
            ]
            #expect(pair.outcomes[tag] == .response(HTTP2Response(status: 200, headers: headers)))
        }
    }

    @Test func keepsPathAndAuthorizationOutOfEveryTable() throws {
        let pair = try Pair()
        try pair.send(1)
        #expect(pair.fields.filter(\.neverIndexed).map(\.name) == [":path", "authorization"])
    }

    @Test func handsOnNothingAboveTheLastStreamOfAGoAway() throws {
        let pair = try Pair()
        try pair.send(1)
        pair.server.onRequest = { [unowned pair] arrival in
            pair.requests.append(arrival.request)
            arrival.sendGoAway(lastStreamID: 3, debugData: Array("why".utf8))
        }
        // Three at once: the last of them comes in when the server has made up its mind.
        for tag in 2...4 {
            let path = Array("/\(tag)".utf8)
            #expect(
                path.withUnsafeBufferPointer {
                    pair.client.submit(
                        path: $0, headers: Pair.template, body: HTTP2SharedBody([1]), tag: tag, deadline: .max)
                })
            while let bytes = try pair.client.nextOutput() { try pair.server.receive(bytes) }
        }
        try pair.exchange()
        #expect(pair.requests.map(\.path) == ["/1", "/2"])
        #expect(pair.outcomes == [3: .refused, 4: .refused])
        for stream in [1, 3, 5, 7] as [Int32] {
            pair.server.answer(stream: stream, .respond(HTTP2Response(status: 200)))
        }
        try pair.exchange()
        #expect(pair.outcomes[1] == .response(HTTP2Response(status: 200)))
        #expect(pair.outcomes[2] == .response(HTTP2Response(status: 200)))
        #expect(pair.server.isFinished)
    }

    /// The body of the first takes longer; a peer would send the second one again if it were called not processed.
    @Test func namesNoStreamBelowOneThatWasHandedOnBefore() throws {
        let pair = try Pair()
        var named: [Int32] = []
        pair.server.onRequest = { [unowned pair] arrival in
            pair.requests.append(arrival.request)
            if arrival.streamID == 1 { named.append(arrival.sendGoAway(lastStreamID: 1)) }
        }
        for (tag, bytes) in [(1, 60_000), (2, 1)] {
            let path = Array("/\(tag)".utf8)
            #expect(
                path.withUnsafeBufferPointer {
                    pair.client.submit(
                        path: $0, headers: Pair.template, body: HTTP2SharedBody([UInt8](repeating: 7, count: bytes)),
                        tag: tag, deadline: .max)
                })
        }
        try pair.exchange()
        #expect(pair.requests.map(\.path) == ["/2", "/1"])
        #expect(named == [3])
        for stream in [1, 3] as [Int32] { pair.server.answer(stream: stream, .respond(HTTP2Response(status: 200))) }
        try pair.exchange()
        #expect(pair.outcomes.count == 2 && pair.outcomes.values.allSatisfy { $0 != .refused })
    }

    @Test func cutsOffABodyThatIsTooLargeAndSaysSo() throws {
        let pair = try Pair(bodyBytesMax: 100)
        try pair.send(1, body: [UInt8](repeating: 7, count: 101))
        #expect(pair.requests.first?.body.count == 100)
        #expect(pair.requests.first?.bodyIsTooLarge == true)
    }

    @Test func tellsWhatItAllows() throws {
        let pair = try Pair(server: .init(concurrentStreamsMax: 1))
        #expect(pair.client.peerConcurrentStreamsMax == 1)
        pair.server.announce(.init(concurrentStreamsMax: 500))
        try pair.exchange()
        #expect(pair.client.peerConcurrentStreamsMax == 500)
    }

    @Test(arguments: [200_000, nil] as [Int?])
    func givesTheWindowBackAsItAnswers(connectionWindow: Int?) throws {
        let pair = try Pair(
            server: .init(
                concurrentStreamsMax: 100, initialWindowBytes: connectionWindow, connectionWindowBytes: connectionWindow
            ))
        let window = connectionWindow ?? 65_535
        let body = [UInt8](repeating: 7, count: 1_000)
        for tag in 1...40 { try pair.send(tag, body: body) }
        #expect(pair.requests.count == 40)
        #expect(pair.window == window - 40_000, "nothing is given back before it is answered")
        for request in pair.requests.dropLast() {
            pair.server.answer(stream: request.streamID, .respond(HTTP2Response(status: 200)))
        }
        // What will never be answered is taken in as well.
        pair.server.answer(stream: try #require(pair.requests.last).streamID, .silence)
        try pair.exchange()
        #expect(pair.window > window - window / 16)
    }

    @Test func refusesBytesThatAreNotHTTP2() throws {
        let server = HTTP2ServingSession(id: HTTP2ConnectionID(rawValue: 1), settings: .init(), bodyBytesMax: 10)
        #expect(throws: HTTP2Error.self) {
            try Array("GET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8).withUnsafeBytes { try server.receive($0) }
        }
    }
}
