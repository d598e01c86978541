import FoundationEssentials
import Glibc
import Messages
import Metrics
import ServiceKit
import TestKit
import Testing
import Wire

@Suite struct WireServerTests {
    @Test func answersARequestAndHearsANotice() async throws {
        try await withTemporaryDirectory { folder in
            let server = try await RunningServer("\(folder.path)/bus/a.sock")
            let peer = WirePeer(path: server.path)
            #expect(try await peer.request(Ping(number: 7), expecting: Pong.self) == Pong(number: 7))
            try await peer.notify(Rumour(number: 3))
            try await eventually("the rumour is heard") { server.rumours == [3] }
            await server.stop()
        }
    }

    @Test func answersManyRequestsOfOneConnectionBesideEachOther() async throws {
        try await withTemporaryDirectory { folder in
            let server = try await RunningServer("\(folder.path)/bus/a.sock") { ping in
                try await Task.sleep(for: .milliseconds(ping.number % 7))
                return Pong(number: ping.number)
            }
            let peer = WirePeer(path: server.path)
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<200 {
                    group.addTask {
                        try await peer.request(Ping(number: number), expecting: Pong.self, timeout: .seconds(20)).number
                            == number
                    }
                }
                for try await isRight in group { #expect(isRight) }
            }
            await server.stop()
        }
    }

    @Test func tellsTheCallerWhenAHandlerFailsAndGoesOn() async throws {
        try await withTemporaryDirectory { folder in
            let server = try await RunningServer("\(folder.path)/bus/a.sock") { ping in
                if ping.number == 1 { throw Trouble(description: "no database") }
                return Pong(number: ping.number)
            }
            let peer = WirePeer(path: server.path)
            let error = await #expect(throws: WireError.self) {
                try await peer.request(Ping(number: 1), expecting: Pong.self)
            }
            #expect(error?.code == .refused)
            #expect(error?.reason == "no database")
            #expect(try await peer.request(Ping(number: 2), expecting: Pong.self) == Pong(number: 2))
            #expect(server.log.warnings.count == 1)
            await server.stop()
        }
    }

    static let malformed: [(String, [UInt8])] = [
        ("length 0", [0, 0, 0, 0]),
        ("length 1 MiB and one", [0, 0x10, 0, 1]),
        ("length 4 GiB", [0xFF, 0xFF, 0xFF, 0xFF]),
        ("not JSON", RawSocket.frame("hello")),
        ("not UTF-8", [0, 0, 0, 2, 0xC3, 0x28]),
        ("an array", RawSocket.frame("[1,2]")),
        ("depth 10,000", RawSocket.frame(String(repeating: "[", count: 10_000))),
        ("no type", RawSocket.frame(#"{"id":"1","sentAt":1,"payload":{}}"#)),
        ("wrong payload", RawSocket.frame(#"{"type":"ping","id":"1","sentAt":1,"payload":{"number":"x"}}"#)),
        (
            "a figure of 64 bits",
            RawSocket.frame(#"{"type":"ping","id":"1","sentAt":1,"payload":{"number":9223372036854775807}}"#)
        ),
        (
            "an answer nobody asked for",
            RawSocket.frame(#"{"type":"ping","id":"1","replyTo":"1","sentAt":1,"payload":{}}"#)
        ),
    ]

    @Test(arguments: malformed.indices)
    func closesOnlyTheConnectionOfAMalformedFrameWithOneWarning(_ index: Int) async throws {
        let (what, bytes) = Self.malformed[index]
        try await withTemporaryDirectory { folder in
            let server = try await RunningServer("\(folder.path)/bus/a.sock")
            let good = WirePeer(path: server.path)
            #expect(try await good.request(Ping(number: 1), expecting: Pong.self) == Pong(number: 1))
            do {
                let bad = try #require(RawSocket(server.path))
                // What follows a malformed frame on its connection is not looked at.
                bad.write(bytes + RawSocket.ping(9))
                #expect(try await bad.isEnded(), "\(what)")
            }
            #expect(try await good.request(Ping(number: 2), expecting: Pong.self) == Pong(number: 2))
            let next = WirePeer(path: server.path)
            #expect(try await next.request(Ping(number: 3), expecting: Pong.self) == Pong(number: 3))
            try await eventually("\(what) is said") { !server.log.warnings.isEmpty }
            #expect(server.log.warnings.count == 1, "\(what): \(server.log.warnings)")
            await server.stop()
        }
    }

    /// A peer that does wrong as often as it can fills no disk.
    @Test func badFramesAreCountedAndTheLogHearsOfOneASecond() async throws {
        let registry = PrometheusRegistry()
        try await withMetricsFactory(registry) {
            try await withTemporaryDirectory { folder in
                let server = try await RunningServer("\(folder.path)/bus/a.sock")
                let begun = ContinuousClock.now
                for _ in 0..<30 {
                    let bad = try #require(RawSocket(server.path))
                    bad.write([0, 0, 0, 0])
                    #expect(try await bad.isEnded())
                }
                let count = #"sightscreen_socket_connections_broken_total{end="server",service="bus"} 30"#
                let other = #"sightscreen_socket_connections_broken_total{service="bus",end="server"} 30"#
                try await eventually("all are counted") {
                    let text = registry.text()
                    return text.contains(count) || text.contains(other)
                }
                let seconds = Int((ContinuousClock.now - begun).components.seconds)
                #expect((1...seconds + 1).contains(server.log.warnings.count), "\(server.log.warnings)")
                try await Task.sleep(for: .seconds(1.1))
                let last = try #require(RawSocket(server.path))
                last.write([0, 0, 0, 0])
                try await eventually("the next one is told, with how many were not") {
                    server.log.warnings.contains { $0.contains("wire.unsaid=") && !$0.contains("wire.unsaid=0") }
                }
                await server.stop()
            }
        }
    }

    /// A newer peer may say more than is known here.
    @Test func anAnswerHasTheFieldsOfTheContractAndUnknownKeysOfARequestPass() async throws {
        struct Anything: Decodable { init(from _: any Decoder) {} }
        try await withTemporaryDirectory { folder in
            let server = try await RunningServer("\(folder.path)/bus/a.sock")
            let socket = try #require(RawSocket(server.path))
            let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
            socket.write(
                RawSocket.frame(
                    #"{"type":"ping","id":"17","sentAt":0,"new":true,"traceparent":"\#(trace)","#
                        + #""payload":{"number":7,"padding":"","more":1}}"#))
            let json = try await socket.readFrame()
            #expect(json.hasSuffix(#","payload":{"number":7}}"#))
            let answer = try JSONDecoder().decode(Envelope.self, from: Data(json.utf8))
            #expect(answer.type == "pong" && answer.replyTo == "17" && answer.traceparent == trace)
            #expect(answer.sentAt > 1_700_000_000_000, "milliseconds")
            let fields = try JSONDecoder().decode([String: Anything].self, from: Data(json.utf8)).keys
            #expect(Set(fields) == ["type", "id", "sentAt", "traceparent", "replyTo", "payload"])
            await server.stop()
        }
    }

    @Test func refusesMessagesOfANewerPeerAndHearsWhatElseItSays() async throws {
        try await withTemporaryDirectory { folder in
            let server = try await RunningServer("\(folder.path)/bus/a.sock")
            let socket = try #require(RawSocket(server.path))
            for id in ["6", "7"] {
                socket.write(
                    RawSocket.frame(#"{"type":"run-sql","id":"\#(id)","sentAt":1,"payload":{"of":["any",{}]}}"#))
                let answer = try await socket.readFrame()
                #expect(answer.contains(#""type":"failure""#) && answer.contains(#""replyTo":"\#(id)""#))
                #expect(answer.contains("unknown type"))
            }
            socket.write(RawSocket.ping(8))
            #expect(try await socket.readFrame().contains(#""replyTo":"8""#))
            #expect(server.log.warnings.count == 1, "\(server.log.warnings)")
            await server.stop()
        }
    }

    @Test func aRequestThatAnOlderServerDoesNotKnowFailsAtOnceAndTheConnectionLasts() async throws {
        try await withTemporaryDirectory { folder in
            let server = try await RunningServer("\(folder.path)/bus/a.sock")
            let peer = WirePeer(path: server.path)
            let error = await #expect(throws: WireError.self) {
                try await peer.request(Novelty(), expecting: Pong.self, timeout: .seconds(60))
            }
            #expect(error?.code == .refused)
            try await peer.notify(Novelty())
            #expect(try await peer.request(Ping(number: 2), expecting: Pong.self) == Pong(number: 2))
            #expect(server.connections == 1)
            await server.stop()
        }
    }

    @Test func readsOneByteAtATimeAndTwoFramesAtOnce() async throws {
        try await withTemporaryDirectory { folder in
            let server = try await RunningServer("\(folder.path)/bus/a.sock")
            let socket = try #require(RawSocket(server.path))
            for byte in RawSocket.ping(1) { socket.write([byte]) }
            #expect(try await socket.readFrame().contains(#""replyTo":"1""#))
            socket.write(RawSocket.ping(2) + RawSocket.ping(3))
            let answers = [try await socket.readFrame(), try await socket.readFrame()].sorted()
            #expect(answers.contains { $0.contains(#""replyTo":"2""#) })
            #expect(answers.contains { $0.contains(#""replyTo":"3""#) })
            await server.stop()
        }
    }

    @Test func forgetsAFrameThatWasCutOffAtAnyByte() async throws {
        try await withTemporaryDirectory { folder in
            let server = try await RunningServer("\(folder.path)/bus/a.sock")
            let frame = RawSocket.frame(#"{"type":"rumour","id":"1","sentAt":1,"payload":{"number":1,"padding":""}}"#)
            for count in 0..<frame.count {
                let socket = try #require(RawSocket(server.path))
                socket.write(Array(frame[..<count]))
            }
            let peer = WirePeer(path: server.path)
            #expect(try await peer.request(Ping(number: 1), expecting: Pong.self) == Pong(number: 1))
            #expect(server.rumours.isEmpty)
            #expect(server.log.warnings.isEmpty)
            await server.stop()
        }
    }

    @Test func doesNotWaitForTheRestOfAFrameForEver() async throws {
        try await withTemporaryDirectory { folder in
            let server = try await RunningServer("\(folder.path)/bus/a.sock", frameDeadline: .milliseconds(100))
            let idle = WirePeer(path: server.path)
            #expect(try await idle.request(Ping(number: 1), expecting: Pong.self) == Pong(number: 1))
            let stuck = try #require(RawSocket(server.path))
            stuck.write(Array(RawSocket.ping(2).dropLast()))
            #expect(try await stuck.isEnded())
            try await eventually("it is said") { server.log.warnings.count == 1 }
            // Silence between frames is no offence.
            #expect(try await idle.request(Ping(number: 3), expecting: Pong.self) == Pong(number: 3))
            await server.stop()
        }
    }

    @Test func carriesTheLargestFrameAndRefusesToSendALargerOne() async throws {
        try await withTemporaryDirectory { folder in
            let server = try await RunningServer("\(folder.path)/bus/a.sock")
            let peer = WirePeer(path: server.path)
            let large = Ping(number: 5, padding: String(repeating: "x", count: frameBytesMax - 200))
            #expect(try await peer.request(large, expecting: Pong.self) == Pong(number: 5))
            let error = await #expect(throws: WireError.self) {
                try await peer.notify(Rumour(number: 1, padding: String(repeating: "x", count: frameBytesMax)))
            }
            #expect(error?.code == .tooLarge)
            #expect(try await peer.request(Ping(number: 6), expecting: Pong.self) == Pong(number: 6))
            await server.stop()
        }
    }

    @Test func keepsItsFilesToItselfAndRemovesThem() async throws {
        try await withTemporaryDirectory { folder in
            let server = try await RunningServer("\(folder.path)/bus/a.sock")
            var status = stat()
            #expect(stat("\(folder.path)/bus", &status) == 0 && status.st_mode & 0o777 == 0o700)
            #expect(stat(server.path, &status) == 0 && status.st_mode & 0o777 == 0o600)
            await server.stop()
            #expect(!fileExists(server.path))
            #expect(!fileExists("\(server.path).lock"))
        }
    }

    @Test func replacesTheFilesOfDeadServersButNotOfALivingOne() async throws {
        try await withTemporaryDirectory { folder in
            mkdir("\(folder.path)/bus", 0o700)
            for name in ["a", "b"] {
                let left = open("\(folder.path)/bus/\(name).sock", O_CREAT | O_WRONLY, 0o600)
                close(left)
            }
            let server = try await RunningServer("\(folder.path)/bus/a.sock")
            #expect(!fileExists("\(folder.path)/bus/b.sock"))
            let second = WireServer(path: server.path, logger: RecordedLog().logger)
            let error = await #expect(throws: WireError.self) { try await second.run() }
            #expect(error?.code == .socket)
            let other = try await RunningServer("\(folder.path)/bus/c.sock")
            let peer = WirePeer(path: server.path)
            #expect(try await peer.request(Ping(number: 1), expecting: Pong.self) == Pong(number: 1))
            await other.stop()
            await server.stop()
        }
    }

    @Test func refusesAPathThatNoSocketCanHave() async throws {
        let path = "/tmp/" + String(repeating: "x", count: 103)
        let error = await #expect(throws: WireError.self) {
            try await WireServer(path: path, logger: RecordedLog().logger).run()
        }
        #expect(error?.code == .socket)
    }

    /// Only root can become somebody else.
    @Test(.enabled(if: geteuid() == 0)) func refusesAProcessOfAnotherUser() async throws {
        try await withTemporaryDirectory { folder in
            let server = try await RunningServer("\(folder.path)/bus/a.sock")
            // Wide open, so that it is the kernel's word about the peer which decides.
            for path in [folder.path, "\(folder.path)/bus"] { chmod(path, 0o777) }
            chmod(server.path, 0o666)
            let program = """
                import os, socket, sys
                os.setgid(65534); os.setuid(65534)
                s = socket.socket(socket.AF_UNIX); s.settimeout(10); s.connect(sys.argv[1])
                try: s.sendall(bytes(\(RawSocket.ping(1)))); sys.exit(0 if s.recv(1) == b'' else 1)
                except (ConnectionResetError, BrokenPipeError): sys.exit(0)
                """
            #expect(try await run("/usr/bin/python3", "-c", program, server.path) == 0)
            try await eventually("it is said") { server.log.warnings.contains { $0.contains("user 65534") } }
            #expect(try await WirePeer(path: server.path).request(Ping(number: 2), expecting: Pong.self).number == 2)
            #expect(server.log.warnings.count == 1)
            await server.stop()
        }
    }
}

/// Runs a program to its end.
private func run(_ arguments: String...) async throws -> Int32 {
    var pid: pid_t = 0
    var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    defer { words.forEach { free($0) } }
    let failed = posix_spawn(&pid, arguments[0], nil, nil, &words, nil)
    try #require(failed == 0)
    var status: Int32 = 0
    try await eventually("\(arguments[0]) ends") { waitpid(pid, &status, WNOHANG) == pid }
    return status
}
