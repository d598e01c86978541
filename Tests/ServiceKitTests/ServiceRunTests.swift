import FoundationEssentials
import Glibc
import Logging
import Postgres
import ServiceLifecycle
import Synchronization
import TestKit
import Testing

@testable import ServiceKit

/// The run of a service inside this process; signals and exit status are tested on the executables.
@Suite struct ServiceRunTests {
    private struct Part: Service {
        let body: @Sendable () async throws -> Void
        func run() async throws { try await body() }
    }

    private struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    private static let service = ServiceDescription(
        name: "bus", summary: "For tests.", settings: [], usesDatabase: false)

    /// Runs a service until its parts end it; `during` gets the port of the health server.
    private func run(
        _ context: ServiceContext, onLate: @escaping @Sendable () -> Void = {},
        during: @escaping @Sendable (_ port: Int, _ folder: String) async throws -> Void = { _, _ in },
        _ build: @escaping @Sendable (Settings, ServiceContext) async throws -> [any Service]
    ) async throws {
        try await withTemporaryDirectory { folder in
            let settings = try Settings(
                environment: ["SIGHTSCREEN_RUN_DIR": folder.path, "INSTANCE": "a"], arguments: [], service: Self.service
            )
            let port = AsyncStream<Int>.makeStream()
            let path = folder.path
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await ServiceMain.run(
                        settings, context, signals: [], onHealth: { port.continuation.yield($0) }, onLate: onLate, build
                    )
                }
                group.addTask {
                    for await number in port.stream {
                        try await during(number, path)
                        return
                    }
                }
                defer { group.cancelAll() }
                try await group.next()
                try await group.next()
            }
        }
    }

    private var context: ServiceContext {
        ServiceContext(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, readiness: Readiness())
    }

    @Test func passesOnWhatBuildRefuses() async throws {
        let refused = ConfigurationError(setting: "X", problem: "is required")
        await #expect(throws: refused) { try await run(context) { _, _ in throw refused } }
    }

    @Test func aDatabaseThatCannotBeUsedIsAFaultOfItsSetting() async throws {
        let refused = ConfigurationError(setting: "DATABASE_URL", problem: "leads to a pooler")
        await #expect(throws: refused) {
            try await run(context) { _, _ in [Part { throw PostgresError(.configuration, "leads to a pooler") }] }
        }
    }

    @Test func endsWithTheErrorOfThePartThatFails() async throws {
        let stopped = Mutex(false)
        do {
            try await run(context) { _, _ in
                [
                    Part {
                        try await gracefulShutdown()
                        stopped.withLock { $0 = true }
                    },
                    Part { throw Failure(description: "no shard") },
                ]
            }
            Issue.record("it went on")
        } catch {
            #expect(ErrorChain.describe(error).contains("Part failed, because: no shard"))
        }
        // The others were asked to stop and could finish what they promised.
        #expect(stopped.withLock { $0 })
    }

    @Test func doesNotWaitForEverForAPartThatDoesNotEnd() async throws {
        let (late, isLate) = AsyncStream<Void>.makeStream()
        await #expect(throws: (any Error).self) {
            try await run(context, onLate: { isLate.finish() }) { _, _ in
                [
                    // Neither the request to stop nor the cancellation moves it.
                    Part { await Task { for await _ in late {} }.value },
                    Part { throw Failure(description: "no shard") },
                ]
            }
        }
    }

    @Test func takesAPartThatEndsUnaskedForAFailure() async throws {
        do {
            try await run(context) { _, _ in [Part {}] }
            Issue.record("it went on")
        } catch {
            #expect(ErrorChain.describe(error).contains("it ended unexpectedly"))
        }
    }

    @Test func saysOnceWhereItsHealthServerAnswers() async throws {
        let lines = LogLines()
        let context = ServiceContext(logger: lines.logger, readiness: Readiness())
        let done = AsyncStream<Void>.makeStream()
        let ports = Mutex<[Int]>([])
        let note: @Sendable (Int, String) async throws -> Void = { port, _ in
            ports.withLock { $0.append(port) }
            try await eventually("it has started") { lines.count("Started") == 1 }
            done.continuation.finish()
        }
        await #expect(throws: (any Error).self) {
            try await run(context, during: note) { _, _ in [Part { for await _ in done.stream {} }] }
        }
        let first = ports.withLock { $0.first }
        let port = try #require(first)
        #expect(lines.all.filter { $0.hasPrefix("info Started") }.count == 1)
        #expect(lines.count("127.0.0.1:\(port)") == 1)
    }

    @Test func saysNothingOfAStartWhenASettingIsRefused() async throws {
        let lines = LogLines()
        let context = ServiceContext(logger: lines.logger, readiness: Readiness())
        let (running, isRunning) = AsyncStream<Void>.makeStream()
        let refused = ConfigurationError(setting: "X", problem: "is required")
        await #expect(throws: refused) {
            try await run(context, during: { _, _ in isRunning.finish() }) { _, _ in
                for await _ in running {}
                throw refused
            }
        }
        #expect(lines.all == [])
    }

    @Test func answersHealthChecksAndShowsMetrics() async throws {
        let context = context
        let done = AsyncStream<Void>.makeStream()
        let check: @Sendable (Int, String) async throws -> Void = { port, folder in
            let address = try String(contentsOfFile: "\(folder)/bus/a.health", encoding: .utf8)
            #expect(address == "127.0.0.1:\(port)\n")
            try await eventually("it is live") { try await get(port, "/health/live").hasPrefix("HTTP/1.1 200") }
            let waiting = try await get(port, "/health/ready")
            #expect(waiting.hasPrefix("HTTP/1.1 503"))
            #expect(waiting.contains(#""missing":[{"name":"database","reason":"not reached yet"}"#))
            context.readiness.set("database", true)
            try await eventually("it is ready") { try await get(port, "/health/ready").hasPrefix("HTTP/1.1 200") }
            let metrics = try await get(port, "/metrics")
            #expect(metrics.contains("text/plain; version=0.0.4"))
            #expect(metrics.contains("process_resident_memory_bytes "))
            #expect(try await get(port, "/nothing").hasPrefix("HTTP/1.1 404"))
            done.continuation.finish()
        }
        await #expect(throws: (any Error).self) {
            try await run(context, during: check) { _, context in
                context.readiness.set("database", false, reason: "not reached yet")
                return [Part { for await _ in done.stream {} }]
            }
        }
    }
}

/// One request on a connection of its own; the whole answer.
private func get(_ port: Int, _ path: String) async throws -> String {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let connected = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
    try #require(connected == 0)
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    let request = "GET \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    _ = send(descriptor, request, request.utf8.count, Int32(MSG_NOSIGNAL))
    var answer: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    try await eventually("\(path) is answered") {
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count > 0 { answer += buffer[..<count] }
        return count == 0
    }
    return String(decoding: answer, as: UTF8.self)
}
