import FoundationEssentials
import HTTPClient
import Logging
import PretendPhones
import ServiceLifecycle
import SightscreenModels
import TestKit

@testable import DeviceLab

/// A `device-lab` on a free port, in this process, with pretended phones and stand-ins that note what they are told.
struct RunningLab: Sendable {
    static let match = MatchID(7)

    let port: Int
    let phones: [PretendPhone]
    let standIns: StandIns
    private let http = HTTPClient(configuration: .init(allowHTTP: true))

    static func with(
        phones count: Int = 3, configure: (inout DeviceLabConfiguration) -> Void = { _ in },
        times: EventStream.Times = Self.hurried, isTapeLoaded: Bool = true, _ body: (RunningLab) async throws -> Void
    ) async throws {
        let standIns = try StandIns(isTapeLoaded: isTapeLoaded)
        let phones = (1...count).map { number in
            PretendPhone(id: "phone-\(number)", name: "Phone \(number)", users: ["asha", "ravi"]) {
                Int64(Date().timeIntervalSince1970 * 1_000)
            }
        }
        for phone in phones { await phone.take(.init(.pretend(version: 1)), of: match) }
        var configuration = DeviceLabConfiguration(provider: standIns.url, apns: standIns.url)
        configure(&configuration)
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
        var service = DeviceLabService(configuration, phones: phones, logger: logger) { continuation.yield($0) }
        service.times = times
        let group = ServiceGroup(configuration: .init(services: [.init(service: service)], logger: logger))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            guard let port = await ports.first(where: { _ in true }) else { return }
            let lab = RunningLab(port: port, phones: phones, standIns: standIns)
            do {
                if isTapeLoaded {
                    try await eventually("the lab knows the tape") { try await !lab.state().matches.isEmpty }
                }
                try await body(lab)
            } catch {
                await group.triggerGracefulShutdown()
                throw error
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
        standIns.stop()
    }

    static var hurried: EventStream.Times {
        var times = EventStream.Times()
        times.interval = .milliseconds(10)
        return times
    }

    func send(
        _ method: String, _ path: String, _ body: String? = nil,
        headers: [(String, String)] = [("content-type", "application/json")]
    ) async throws -> HTTPClientResponse {
        try await http.send(
            HTTPClientRequest(
                method: method, url: "http://127.0.0.1:\(port)\(path)", headers: headers,
                body: body.map { Array($0.utf8) } ?? (method == "POST" ? [] : nil), timeout: .seconds(20),
                bodyBytesMax: 8 << 20))
    }

    func get(_ path: String) async throws -> HTTPClientResponse { try await send("GET", path, headers: []) }

    func state() async throws -> LabState {
        try JSONDecoder().decode(LabState.self, from: Data(try await get("/api/lab").body))
    }

    func phone(_ id: String) async throws -> LabPhoneState {
        try JSONDecoder().decode(LabPhoneState.self, from: Data(try await get("/api/phones/\(id)").body))
    }

    @discardableResult
    func act(_ phone: String, _ body: String) async throws -> HTTPClientResponse {
        try await send("POST", "/api/phones/\(phone)/actions", body)
    }
}

extension HTTPClientResponse {
    var text: String { String(decoding: body, as: UTF8.self) }

    /// Of a problem document.
    var detail: String? {
        struct Document: Decodable { var detail: String }
        guard header("content-type") == "application/problem+json" else { return nil }
        return (try? JSONDecoder().decode(Document.self, from: Data(body)))?.detail
    }
}
