import Glibc
import Logging
import Synchronization
import TestKit
import Wire

/// A server on a socket of its own that answers pings and notes rumours.
final class RunningServer: Sendable {
    let path: String
    let log = RecordedLog()
    private let heard = Mutex<[Int]>([])
    private let opened = Mutex(0)
    private let task: Task<Void, any Error>

    var rumours: [Int] { heard.withLock { $0 } }

    /// How many there have been.
    var connections: Int { opened.withLock { $0 } }

    init(
        _ path: String, frameDeadline: Duration = .seconds(10),
        ping: @escaping @Sendable (Ping) async throws -> Pong = { Pong(number: $0.number) },
        rumour: @escaping @Sendable (Rumour) async -> Void = { _ in }
    ) async throws {
        self.path = path
        let server = WireServer(path: path, logger: log.logger, frameDeadline: frameDeadline)
        task = Task { try await server.run() }
        server.onConnect { [weak self] _ in self?.opened.withLock { $0 += 1 } }
        server.answer(Ping.self) { message, _ in try await ping(message) }
        server.on(Rumour.self) { [weak self] message, _ in
            await rumour(message)
            self?.heard.withLock { $0.append(message.number) }
        }
        try await eventually("the server listens") { [log] in
            log.all.contains { $0.contains("Listening") }
        }
    }

    func stop() async {
        task.cancel()
        _ = await task.result
    }

    deinit { task.cancel() }
}

func fileExists(_ path: String) -> Bool { access(path, F_OK) == 0 }
