import Glibc
import TestKit
import Testing
import Wire

@Suite struct WirePeerTests {
    @Test func saysWhenNobodyListensAndConnectsWhenSomebodyDoes() async throws {
        try await withTemporaryDirectory { folder in
            let peer = WirePeer(path: "\(folder.path)/bus/a.sock")
            let error = await #expect(throws: WireError.self) { try await peer.notify(Rumour(number: 1)) }
            #expect(error?.description == "unavailable: \(peer.path): No such file or directory")
            for _ in 1...3 {
                let server = try await RunningServer(peer.path)
                try await eventually("it answers") {
                    try await peer.request(Ping(number: 1), expecting: Pong.self).number == 1
                }
                await server.stop()
            }
        }
    }

    @Test func givesUpAnAnswerThatIsLateAndUsesTheNextOne() async throws {
        try await withTemporaryDirectory { folder in
            let server = try await RunningServer("\(folder.path)/bus/a.sock") { ping in
                if ping.number == 1 { try await Task.sleep(for: .milliseconds(300)) }
                return Pong(number: ping.number)
            }
            let peer = WirePeer(path: server.path)
            let error = await #expect(throws: WireError.self) {
                try await peer.request(Ping(number: 1), expecting: Pong.self, timeout: .milliseconds(50))
            }
            #expect(error?.code == .timeout)
            // The late answer comes in between and is nobody's.
            try await Task.sleep(for: .milliseconds(400))
            #expect(try await peer.request(Ping(number: 2), expecting: Pong.self) == Pong(number: 2))
            await server.stop()
        }
    }

    @Test func tellsThatAnAnswerIsLostWhenTheServerDies() async throws {
        try await withTemporaryDirectory { folder in
            let server = try await RunningServer("\(folder.path)/bus/a.sock") { _ in
                try await Task.sleep(for: .seconds(60))
                return Pong(number: 0)
            }
            let peer = WirePeer(path: server.path)
            async let answer = peer.request(Ping(number: 1), expecting: Pong.self, timeout: .seconds(30))
            try await Task.sleep(for: .milliseconds(100))
            await server.stop()
            do {
                _ = try await answer
                Issue.record("an answer from a server that was stopped")
            } catch let error as WireError {
                #expect(error.code == .closed || error.code == .refused || error.code == .unavailable)
            }
        }
    }

    @Test func endsARequestWhoseTaskIsCancelled() async throws {
        try await withTemporaryDirectory { folder in
            let server = try await RunningServer("\(folder.path)/bus/a.sock") { _ in
                try await Task.sleep(for: .seconds(60))
                return Pong(number: 0)
            }
            let peer = WirePeer(path: server.path)
            let request = Task { try await peer.request(Ping(number: 1), expecting: Pong.self, timeout: .seconds(30)) }
            try await Task.sleep(for: .milliseconds(100))
            request.cancel()
            await #expect(throws: CancellationError.self) { try await request.value }
            await server.stop()
        }
    }
}
