import Hummingbird
import Logging
import ServiceLifecycle
import TestKit
import Testing

@testable import OperatorTool

@Suite struct DevIssuerTests {
    @Test func noOtherPageOfABrowserGetsAToken() async throws {
        let folder = try TemporaryDirectory(prefix: "ss-id")
        defer { folder.remove() }
        let issuer = DevIssuer(identity: try DevelopmentIdentity(folder: folder.path))
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let application = issuer.application(host: "127.0.0.1", port: 0, logger: logger) { port.yield($0) }
        let group = ServiceGroup(configuration: .init(services: [.init(service: application)], logger: logger))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            let base = "http://127.0.0.1:\(try #require(await ports.first { _ in true }))"
            let problems = try await OtherPages.problems(
                posting: #"{"user":"asha"}"#, to: "\(base)/token", reading: "\(base)/.well-known/jwks.json",
                in: folder.path)
            #expect(problems.isEmpty, "\(problems)")
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }
}
