import HTTP2
import Reactor

/// Sends a number of requests over some senders of one thread.
actor BareFanOut: HTTP2SenderOwner {
    struct Count: Sendable {
        var answered = 0
        var ok = 0
        var refused = 0
        var unknown = 0

        mutating func add(_ other: Count) {
            answered += other.answered
            ok += other.ok
            refused += other.refused
            unknown += other.unknown
        }

        var all: Int { answered + refused + unknown }
    }

    private nonisolated let reactor: Reactor
    nonisolated var unownedExecutor: UnownedSerialExecutor { reactor.asUnownedSerialExecutor() }

    private let requests: Int
    private let body: HTTP2SharedBody
    private let template: HTTP2HeaderTemplate
    private var senders: [HTTP2Sender] = []
    private var submitted = 0
    private var count = Count()
    private var done: CheckedContinuation<Void, Never>?
    private var path = Array("/3/device/".utf8) + [UInt8](repeating: 0, count: 160)

    init(reactor: Reactor, requests: Int, body: HTTP2SharedBody, authority: String) {
        self.reactor = reactor
        self.requests = requests
        self.body = body
        template = HTTP2HeaderTemplate(
            authority: authority,
            fields: [
                HTTP2Field("authorization", "bearer " + String(repeating: "t", count: 200), neverIndexed: true),
                HTTP2Field("apns-topic", "com.example.cricket.push-type.liveactivity"),
                HTTP2Field("apns-push-type", "liveactivity"), HTTP2Field("apns-priority", "10"),
                HTTP2Field("apns-expiration", "1763800000"),
            ])
    }

    func run(
        _ address: HTTP2Address, _ origin: HTTP2Origin, _ tls: TLSContext, connections: Int, streams: Int
    ) async -> Count {
        var limits = HTTP2ClientLimits()
        limits.streamsMax = streams
        for _ in 0..<connections {
            senders.append(
                HTTP2Sender(
                    to: address, of: origin, tls: tls, reactor: reactor, limits: limits, owner: self))
        }
        await withCheckedContinuation { done = $0 }
        for sender in senders { sender.close() }
        return count
    }

    nonisolated func fill(_ sender: HTTP2Sender) -> Bool { assumeIsolated { $0.fillNow(sender) } }

    private func fillNow(_ sender: HTTP2Sender) -> Bool {
        guard submitted < requests, sender.hasRoom(forBody: body.count) else { return false }
        var value = UInt64(truncatingIfNeeded: submitted) &* 0x9e37_79b9_7f4a_7c15
        for index in 10..<170 {
            path[index] = Self.digits[Int(value >> 60)]
            value = value << 4 | value >> 60
        }
        submitted += 1
        return path.withUnsafeBufferPointer {
            sender.submit(
                path: $0, headers: template, body: body, tag: submitted, deadline: sender.now + 10_000_000_000)
        }
    }

    private static let digits = Array("0123456789abcdef".utf8)

    nonisolated func finished(_ tag: Int, _ outcome: HTTP2Outcome, on sender: HTTP2Sender) {
        assumeIsolated { $0.finished(outcome) }
    }

    private func finished(_ outcome: HTTP2Outcome) {
        switch outcome {
        case .response(let response):
            count.answered += 1
            if response.status == 200 { count.ok += 1 }
        case .refused: count.refused += 1
        case .withdrawn, .unknown: count.unknown += 1
        }
        if count.all == requests {
            done?.resume()
            done = nil
        }
    }

    nonisolated func opened(_ sender: HTTP2Sender) {}
    nonisolated func isDraining(_ sender: HTTP2Sender, _ reason: String) {}
    nonisolated func closed(_ sender: HTTP2Sender, _ reason: HTTP2Error) {}
}
