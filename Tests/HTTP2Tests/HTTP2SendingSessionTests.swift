import Testing

@testable import HTTP2

/// The sending session and a server's session, in memory.
@Suite struct HTTP2SendingSessionTests {
    final class Pair {
        let client: HTTP2SendingSession
        let server: HTTP2ServingSession
        var outcomes: [Int: HTTP2Outcome] = [:]
        var requests: [(stream: Int32, path: String)] = []

        init(slots: Int = 10, replyBytesMax: Int = 100, server settings: HTTP2Settings = .init()) throws {
            client = HTTP2SendingSession(slotCount: slots, replyBytesMax: replyBytesMax)
            server = HTTP2ServingSession(
                id: HTTP2ConnectionID(rawValue: 1), settings: settings, bodyBytesMax: 10_000)
            client.onOutcome = { [unowned self] tag, outcome in
                #expect(outcomes[tag] == nil, "one outcome for each request")
                outcomes[tag] = outcome
            }
            server.onRequest = { [unowned self] arrival in
                requests.append((arrival.streamID, arrival.request.path))
            }
            try exchange()
        }

        func send(_ tag: Int, body: Int = 3, deadline: Int64 = .max) -> Bool {
            guard client.hasRoom(forBody: body) else { return false }
            let path = Array("/\(tag)".utf8)
            return path.withUnsafeBufferPointer {
                client.submit(
                    path: $0, headers: HTTP2ConnectionTests.Bench.template,
                    body: HTTP2SharedBody([UInt8](repeating: 7, count: body)), tag: tag, deadline: deadline)
            }
        }

        func toServer() throws {
            while let bytes = try client.nextOutput() { try server.receive(bytes) }
        }

        func toClient() throws { while let bytes = try server.nextOutput() { try client.receive(bytes) } }

        func exchange() throws {
            for _ in 0..<4 {
                try toServer()
                try toClient()
            }
        }
    }

    @Test func aFieldMayHaveAnotherUUIDInEachRequest() throws {
        let client = HTTP2SendingSession(slotCount: 10, replyBytesMax: 100)
        let server = HTTP2ServingSession(id: HTTP2ConnectionID(rawValue: 1), settings: .init(), bodyBytesMax: 100)
        var ids: [String] = []
        server.onRequest = { arrival in ids.append(arrival.request.headers["apns-id"] ?? "") }
        let template = HTTP2HeaderTemplate(
            authority: "localhost", fields: [HTTP2Field("apns-priority", "5")], uniqueField: "apns-id")
        var sizes: [Int] = []
        for tag in 1...5 {
            let isSubmitted = Array("/\(tag)".utf8).withUnsafeBufferPointer {
                client.submit(path: $0, headers: template, body: HTTP2SharedBody([]), tag: tag, deadline: .max)
            }
            #expect(isSubmitted)
            sizes.append(0)
            while let bytes = try client.nextOutput() {
                sizes[tag - 1] += bytes.count
                try server.receive(bytes)
            }
            while let bytes = try server.nextOutput() { try client.receive(bytes) }
        }
        #expect(ids.count == 5 && Set(ids).count == 5)
        let form = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/
        #expect(ids.allSatisfy { $0.wholeMatch(of: form) != nil }, "\(ids)")
        // Its name has been told with the first one: a frame's head of nine bytes, the path, and some 27 of the UUID's
        // text.
        #expect(sizes.dropFirst(2).allSatisfy { (35...50).contains($0) }, "\(sizes)")
    }

    @Test func uniqueIDsOfTwoConnectionsDiffer() {
        var one = HTTP2UniqueID()
        var other = HTTP2UniqueID()
        var seen: Set<String> = []
        for _ in 0..<1_000 {
            seen.insert(String(decoding: one.next(), as: UTF8.self))
            seen.insert(String(decoding: other.next(), as: UTF8.self))
        }
        #expect(seen.count == 2_000)
    }

    /// All other fields cost time for nothing.
    @Test(arguments: [(200, nil), (429, 30), (503, 30)])
    func aRefusalSaysWhenToComeAgain(status: Int, retryAfter: Int?) throws {
        let pair = try Pair()
        #expect(pair.send(1))
        try pair.exchange()
        let fields = [HTTP2Field("apns-id", "7"), HTTP2Field("retry-after", "30")]
        pair.server.answer(stream: 1, .respond(HTTP2Response(status: status, headers: fields)))
        try pair.exchange()
        guard case .response(let response) = pair.outcomes[1] else {
            Issue.record("no answer")
            return
        }
        #expect(response.retryAfter == retryAfter)
        #expect(response.headers.count == (retryAfter == nil ? 0 : 1))
    }

    @Test(arguments: [("0", 0), ("120", 120), ("-1", nil), ("Wed, 21 Oct 2026 07:28:00 GMT", nil), ("", nil)])
    func onlySecondsAreUnderstood(text: String, seconds: Int?) {
        #expect(HTTP2Response(status: 503, headers: [HTTP2Field("retry-after", text)]).retryAfter == seconds)
    }

    @Test(arguments: [0, 1, 16_384, 60_000])
    func carriesBodiesAndTellsStatuses(bytes: Int) throws {
        let pair = try Pair()
        #expect(pair.send(1, body: bytes))
        try pair.exchange()
        #expect(pair.requests.map(\.path) == ["/1"])
        pair.server.answer(stream: 1, .respond(HTTP2Response(status: 410, body: Array("gone".utf8))))
        try pair.exchange()
        #expect(pair.outcomes == [1: .response(HTTP2Response(status: 410, body: Array("gone".utf8)))])
        #expect(pair.client.inFlight == 0)
    }

    /// `:status: 103`, as a literal that no table remembers.
    private static func interimAnswer(to stream: Int32) -> [UInt8] {
        [0, 0, 5, 1, 4, 0, 0, 0, UInt8(stream), 0x08, 3] + Array("103".utf8)
    }

    @Test func interimAnswersComeBeforeAnAnswerAndNotForEver() throws {
        let pair = try Pair()
        for tag in 1...2 {
            #expect(pair.send(tag))
            try pair.exchange()
        }
        try #require(pair.requests.count == 2)
        let streams = pair.requests.map(\.stream)
        for stream in streams {
            for _ in 0..<HTTP2SendingSession.interimAnswersMax {
                try Self.interimAnswer(to: stream).withUnsafeBytes { try pair.client.receive($0) }
            }
        }
        try pair.exchange()
        #expect(pair.outcomes.isEmpty && pair.client.inFlight == 2)
        for _ in 0..<1_000 {
            try Self.interimAnswer(to: streams[1]).withUnsafeBytes { try pair.client.receive($0) }
        }
        pair.server.answer(stream: streams[0], .respond(HTTP2Response(status: 200)))
        try pair.exchange()
        #expect(
            pair.outcomes == [1: .response(HTTP2Response(status: 200)), 2: .unknown(.reset(.enhanceYourCalm))])
        #expect(pair.client.inFlight == 0)
    }

    @Test func cutsOffALongAnswer() throws {
        let pair = try Pair(replyBytesMax: 5)
        #expect(pair.send(1))
        try pair.exchange()
        pair.server.answer(stream: 1, .respond(HTTP2Response(status: 500, body: Array("a long story".utf8))))
        try pair.exchange()
        #expect(pair.outcomes == [1: .response(HTTP2Response(status: 500, body: Array("a lon".utf8)))])
    }

    @Test func hasNoRoomBeyondItsSlotsThePeersStreamsAndItsWindow() throws {
        let few = try Pair(slots: 2)
        for tag in 1...3 {
            #expect(few.send(tag) == (tag <= 2))
            try few.exchange()
        }
        let narrow = try Pair(server: .init(concurrentStreamsMax: 1))
        for tag in 1...2 {
            #expect(narrow.send(tag) == (tag == 1))
            try narrow.exchange()
        }
        let full = try Pair()
        #expect(full.send(1, body: 65_000))
        try full.toServer()
        #expect(!full.client.hasRoom(forBody: 1_000), "it would wait half sent")
        try full.toClient()
        #expect(full.client.hasRoom(forBody: 1_000))
    }

    @Test func aPeerWithSmallStreamsGetsOneLongBodyAtATime() throws {
        let pair = try Pair(server: .init(initialWindowBytes: 100))
        #expect(pair.client.hasRoom(forBody: 750), "one would wait half sent, and none leave otherwise")
        #expect(pair.send(1, body: 750))
        try pair.toServer()
        #expect(!pair.client.hasRoom(forBody: 101), "it would wait half sent")
        #expect(pair.client.hasRoom(forBody: 100))
        for _ in 0..<10 { try pair.exchange() }
        #expect(pair.requests.map(\.path) == ["/1"])
        pair.server.announce(.init(initialWindowBytes: 1_000))
        try pair.exchange()
        #expect(pair.client.hasRoom(forBody: 1_000) && !pair.client.hasRoom(forBody: 1_001))
    }

    @Test func aSlotIsUsedAgainAndAgain() throws {
        let pair = try Pair(slots: 1)
        for tag in 1...100 {
            #expect(pair.send(tag))
            try pair.exchange()
            let stream = try #require(pair.requests.last?.stream)
            pair.server.answer(stream: stream, .respond(HTTP2Response(status: 200)))
            try pair.exchange()
        }
        #expect(pair.outcomes.count == 100)
        #expect(pair.outcomes.values.allSatisfy { $0 == .response(HTTP2Response(status: 200)) })
    }

    @Test func tellsRefusedStreamsFromOthers() throws {
        let pair = try Pair()
        for tag in 1...3 {
            #expect(pair.send(tag))
            try pair.exchange()
        }
        pair.server.reset(stream: 1, .refusedStream)
        pair.server.reset(stream: 3, .cancel)
        pair.server.goAway(lastStream: 3, .noError, debugData: Array("why".utf8))
        try pair.exchange()
        #expect(pair.outcomes == [1: .refused, 2: .unknown(.reset(.cancel)), 3: .refused])
        #expect(pair.client.goAway?.debugData == Array("why".utf8))
        #expect(!pair.send(4))
    }

    @Test func whatAGoAwayOvertakesNeverLeft() throws {
        let pair = try Pair()
        #expect(pair.send(1))
        pair.server.goAway(lastStream: 0, .noError)
        try pair.toClient()
        try pair.exchange()
        #expect(pair.outcomes == [1: .refused])
        #expect(pair.requests.isEmpty)
    }

    @Test func expiresWhatIsNotAnsweredInTime() throws {
        let pair = try Pair(slots: 2)
        #expect(pair.send(1, deadline: 5))
        try pair.exchange()
        #expect(pair.send(2, deadline: 7))
        #expect(pair.client.expire(now: 5))
        #expect(pair.outcomes == [1: .unknown(.deadline)])
        #expect(!pair.client.expire(now: 6), "it is told once")
        // Its answer comes all the same, and the slot's next request is not taken for it.
        pair.server.answer(stream: 1, .respond(HTTP2Response(status: 200)))
        try pair.exchange()
        #expect(pair.send(3))
        try pair.exchange()
        #expect(pair.requests.map(\.path) == ["/1", "/2", "/3"])
        #expect(pair.outcomes.count == 1)
        #expect(pair.client.expire(now: 7))
        #expect(pair.outcomes[2] == .unknown(.deadline))
    }

    @Test func whatIsBehindTheWrittenBytesWasNeverSent() throws {
        let pair = try Pair()
        #expect(pair.send(1))
        try pair.exchange()
        let written = pair.client.outputBytes
        #expect(pair.send(2))
        while try pair.client.nextOutput() != nil {}
        #expect(pair.send(3))
        pair.client.abandon(writtenBytes: written, "lost")
        #expect(pair.outcomes == [1: .unknown(.connectionLost("lost")), 2: .refused, 3: .refused])
    }
}
