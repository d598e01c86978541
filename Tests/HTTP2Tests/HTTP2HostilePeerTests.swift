import Glibc
import Testing

@testable import HTTP2

/// What a peer that keeps to no rule can make each end keep in memory.
@Suite(.serialized) struct HTTP2HostilePeerTests {
    typealias Frames = HTTP2Frames

    /// A client of one request, whose server is bytes.
    final class Client {
        let session: HTTP2SendingSession
        private(set) var outcome: HTTP2Outcome?
        private(set) var output: [UInt8] = []

        init(replyBytesMax: Int = 4_096, keepsHeaders: Bool = false) throws {
            session = HTTP2SendingSession(slotCount: 10, replyBytesMax: replyBytesMax, keepsHeaders: keepsHeaders)
            session.onOutcome = { [unowned self] _, outcome in self.outcome = outcome }
            let isSent = Array("/1".utf8).withUnsafeBufferPointer {
                session.submit(
                    path: $0, headers: HTTP2ConnectionTests.Bench.template, body: HTTP2SharedBody([1]), tag: 1,
                    deadline: .max)
            }
            #expect(isSent)
            try takeOutput()
        }

        func receive(_ bytes: [UInt8]) throws { try bytes.withUnsafeBytes { try session.receive($0) } }

        func takeOutput() throws { while let bytes = try session.nextOutput() { output += bytes } }
    }

    // MARK: - Header fields

    enum Place: CaseIterable { case interim, final, trailers }

    /// An answer whose header block at one place is this one.
    private static func answer(_ block: [UInt8], at place: Place) -> [UInt8] {
        switch place {
        case .interim: Frames.headers(Frames.status(103) + block, stream: 1)
        case .final: Frames.headers(Frames.status(429) + block, flags: Frames.endStream, stream: 1)
        case .trailers:
            Frames.headers(Frames.status(429), stream: 1) + Frames.headers(block, flags: Frames.endStream, stream: 1)
        }
    }

    /// One byte on the wire stands for a field of 4 KB: 147 KB for 600 MB.
    @Test(arguments: Place.allCases, ["retry-after", "x"])
    func referencesToALongFieldAreNotKept(place: Place, name: String) throws {
        for keepsHeaders in [false, true] {
            let client = try Client(keepsHeaders: keepsHeaders)
            let long = Frames.field(name, String(repeating: "7", count: 4_000), isKept: true)
            let before = Heap.bytesInUse
            try client.receive(
                Frames.frame(.settings, stream: 0)
                    + Self.answer(long + [UInt8](repeating: Frames.newest, count: 140_000), at: place))
            #expect(Heap.bytesInUse - before < 8 << 20, "\((Heap.bytesInUse - before) >> 20) MiB")
            try client.takeOutput()
            // The expectation shows no outcome: with a bug it has gigabytes of text.
            let isReset = client.outcome == .unknown(.reset(.enhanceYourCalm))
            #expect(isReset)
            // The rest of the connection goes on, with the table that both ends have.
            #expect(client.session.inFlight == 0 && client.session.hasRoom(forBody: 1))
        }
    }

    @Test func aStreamHasSoManyFieldsAndBytes() throws {
        let small = Frames.field("x", "y")
        // `:status: 429` counts as 42 bytes, "x: " as 33.
        let largest = HTTP2HeaderAllowance.bytesMax - 42 - 33
        let cases: [([UInt8], Bool)] = [
            ((1..<HTTP2HeaderAllowance.fieldsMax).flatMap { _ in small }, true),
            ((0..<HTTP2HeaderAllowance.fieldsMax).flatMap { _ in small }, false),
            (Frames.field("x", String(repeating: "y", count: largest)), true),
            (Frames.field("x", String(repeating: "y", count: largest + 1)), false),
        ]
        for (block, isAccepted) in cases {
            let client = try Client()
            try client.receive(Frames.frame(.settings, stream: 0) + Self.answer(block, at: .final))
            try client.takeOutput()
            #expect(
                client.outcome
                    == (isAccepted
                        ? .response(HTTP2Response(status: 429)) : .unknown(.reset(.enhanceYourCalm))))
        }
    }

    /// Interim answers, the answer and its trailers share what a stream has.
    @Test func manySmallBlocksAreNoWayAroundTheBound() throws {
        let client = try Client()
        let block = (0..<20).flatMap { _ in Frames.field("x", "y") }
        let interim = (0..<4).flatMap { _ in Self.answer(block, at: .interim) }
        try client.receive(Frames.frame(.settings, stream: 0) + interim + Self.answer([], at: .final))
        try client.takeOutput()
        #expect(client.outcome == .unknown(.reset(.enhanceYourCalm)))
    }

    @Test(
        arguments: [
            (["30", "60"], 30), ([String(repeating: "9", count: 4_000)], nil), (["soon", "60"], nil),
        ] as [([String], Int?)])
    func theFirstRetryAfterCounts(values: [String], seconds: Int?) throws {
        let client = try Client()
        let block = values.flatMap { Frames.field("retry-after", $0) }
        try client.receive(Frames.frame(.settings, stream: 0) + Self.answer(block, at: .final))
        guard case .response(let response) = client.outcome else {
            Issue.record("\(String(describing: client.outcome))")
            return
        }
        #expect(response.retryAfter == seconds)
        #expect(response.headers.map(\.value.utf8.count).reduce(0, +) <= HTTP2SendingSession.retryAfterBytesMax)
        #expect(response.headers.count == 1)
    }

    @Test func bothEndsSayHowMuchTheyTake() throws {
        let announced: [UInt8] = [0, 6] + Frames.word(UInt32(HTTP2HeaderAllowance.bytesMax))
        #expect(try Client().output.contains(announced))
        let server = HTTP2ServingSession(id: HTTP2ConnectionID(rawValue: 1), settings: .init(), bodyBytesMax: 100)
        var output: [UInt8] = []
        while let bytes = try server.nextOutput() { output += bytes }
        #expect(output.contains(announced))
    }

    @Test func aRequestHasNoMoreFieldsThanAnAnswer() throws {
        let server = HTTP2ServingSession(id: HTTP2ConnectionID(rawValue: 1), settings: .init(), bodyBytesMax: 100)
        var handedOn: [Int32] = []
        server.onRequest = { handedOn.append($0.streamID) }
        let long = Frames.field("x", String(repeating: "7", count: 4_000), isKept: true)
        let before = Heap.bytesInUse
        var bytes = Frames.preface
        for stream in stride(from: Int32(1), to: 41, by: 2) {
            bytes += Frames.headers(
                Frames.request + long + [UInt8](repeating: Frames.newest, count: 14_000), flags: Frames.endStream,
                stream: stream)
        }
        bytes += Frames.headers(Frames.request, flags: Frames.endStream, stream: 41)
        try bytes.withUnsafeBytes { try server.receive($0) }
        #expect(Heap.bytesInUse - before < 8 << 20, "\((Heap.bytesInUse - before) >> 20) MiB")
        while try server.nextOutput() != nil {}
        #expect(handedOn == [41])
    }

    // MARK: - Bodies and other frames

    @Test func aBodyWithoutEndIsNotKept() throws {
        let client = try Client()
        try client.receive(Frames.frame(.settings, stream: 0) + Frames.headers(Frames.status(500), stream: 1))
        let before = Heap.bytesInUse
        let chunk = Frames.frame(.data, stream: 1, [UInt8](repeating: 7, count: 16_000))
        for _ in 0..<4_000 {
            try client.receive(chunk)
            try client.takeOutput()
        }
        #expect(Heap.bytesInUse - before < 8 << 20)
        try client.receive(Frames.frame(.data, flags: Frames.endStream, stream: 1))
        guard case .response(let response) = client.outcome else {
            Issue.record("\(String(describing: client.outcome))")
            return
        }
        #expect(response.body.count == 4_096)
    }

    @Test func theReasonOfAGoAwayIsCutOff() throws {
        let client = try Client()
        try client.receive(Frames.frame(.settings, stream: 0))
        let before = Heap.bytesInUse
        let goAway = Frames.word(1) + Frames.word(0) + [UInt8](repeating: 7, count: 16_000)
        for _ in 0..<8_000 { try client.receive(Frames.frame(.goAway, stream: 0, goAway)) }
        #expect(client.session.goAway?.debugData.count == 256)
        #expect(Heap.bytesInUse - before < 8 << 20)
    }

    /// What a server repeats as long as it likes.
    enum ServerFlood: CaseIterable {
        case pings, settings, settingsOfOneFrame, pongs, priorities, windowUpdates, unknownFrames, emptyData
        case continuations, promises, resetsOfNoStream, headersOfNoStream

        func frame(_ number: Int) -> [UInt8] {
            let setting = [0, 4] + Frames.word(70_000)
            let eight = [UInt8](repeating: 7, count: 8)
            return switch self {
            case .pings: Frames.frame(.ping, stream: 0, eight)
            case .settings: Frames.frame(.settings, stream: 0, setting)
            case .settingsOfOneFrame: Frames.frame(.settings, stream: 0, (0..<100).flatMap { _ in setting })
            case .pongs: Frames.frame(.ping, flags: Frames.acknowledgement, stream: 0, eight)
            case .priorities: Frames.frame(.priority, stream: Int32(number) * 2 + 1, Frames.word(0) + [7])
            case .windowUpdates: Frames.frame(.windowUpdate, stream: 1, Frames.word(1))
            case .unknownFrames: Frames.frame(.unknown, stream: 1, eight)
            case .emptyData: Frames.frame(.data, stream: 1)
            case .continuations:
                Frames.frame(number == 0 ? .headers : .continuation, stream: 1, Frames.field("x", "y"))
            case .promises:
                Frames.frame(
                    .pushPromise, flags: Frames.endHeaders, stream: 1,
                    Frames.word(UInt32(number + 1) * 2) + Frames.request)
            case .resetsOfNoStream: Frames.frame(.reset, stream: 9, Frames.word(8))
            case .headersOfNoStream: Frames.headers(Frames.status(200), stream: 9)
            }
        }

        /// Whether the connection ends. The limits are nghttp2's: 1,000 answers to PING and SETTINGS that the peer has
        /// not taken, 8 CONTINUATIONs of a block, 32 settings of a frame.
        var ends: Bool {
            switch self {
            case .pongs, .priorities, .windowUpdates, .unknownFrames, .emptyData: false
            default: true
            }
        }
    }

    /// Nothing is taken from the client meanwhile: a peer that floods does not read either.
    @Test(arguments: ServerFlood.allCases)
    func whatAServerRepeatsFillsNoMemory(flood: ServerFlood) throws {
        let client = try Client()
        try client.receive(Frames.frame(.settings, stream: 0) + Frames.headers(Frames.status(429), stream: 1))
        let before = Heap.bytesInUse
        var ended = false
        for number in 0..<50_000 where !ended {
            do { try client.receive(flood.frame(number)) } catch { ended = true }
        }
        #expect(Heap.bytesInUse - before < 2 << 20, "\((Heap.bytesInUse - before) >> 10) KiB")
        try? client.takeOutput()
        #expect((ended || client.session.isFinished) == flood.ends)
    }

    /// What a client repeats as long as it likes.
    enum ClientFlood: CaseIterable {
        case pings, settings, priorities, continuations, requests, openRequests, resetRequests, bodies

        func frames(_ number: Int) -> [UInt8] {
            let stream = Int32(number) * 2 + 1
            return switch self {
            case .pings: ServerFlood.pings.frame(number)
            case .settings: ServerFlood.settings.frame(number)
            case .priorities: ServerFlood.priorities.frame(number)
            case .continuations: ServerFlood.continuations.frame(number)
            case .requests: Frames.headers(Frames.request, flags: Frames.endStream, stream: stream)
            case .openRequests: Frames.headers(Frames.request, stream: stream)
            case .resetRequests:
                ClientFlood.requests.frames(number) + Frames.frame(.reset, stream: stream, Frames.word(8))
            case .bodies:
                ClientFlood.openRequests.frames(number)
                    + Frames.frame(.data, stream: stream, [UInt8](repeating: 7, count: 8_000))
            }
        }
    }

    @Test(arguments: ClientFlood.allCases, [false, true])
    func whatAClientRepeatsFillsNoMemory(flood: ClientFlood, isAnswered: Bool) throws {
        let server = HTTP2ServingSession(
            id: HTTP2ConnectionID(rawValue: 1), settings: .init(concurrentStreamsMax: 100), bodyBytesMax: 10_000)
        server.onRequest = { [unowned server] in
            if isAnswered { server.answer(stream: $0.streamID, .respond(HTTP2Response(status: 200))) }
        }
        try Frames.preface.withUnsafeBytes { try server.receive($0) }
        let before = Heap.bytesInUse
        var ended = false
        for number in 0..<50_000 where !ended {
            do { try flood.frames(number).withUnsafeBytes { try server.receive($0) } } catch { ended = true }
        }
        #expect(Heap.bytesInUse - before < 4 << 20, "\((Heap.bytesInUse - before) >> 10) KiB")
    }
}
