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
    private var path = Array("/3/device/".utf8) + [UInt8](repeating: 0, count: LabTokens.digits)
    /// The number of its first device.
    private let first: Int

    init(reactor: Reactor, requests: Int, first: Int, push: LabPush) {
        self.reactor = reactor
        self.requests = requests
        self.first = first
        body = push.body
        template = push.template
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
        LabTokens.write(first + submitted, to: &path[10...])
        submitted += 1
        return path.withUnsafeBufferPointer {
            sender.submit(
                path: $0, headers: template, body: body, tag: submitted, deadline: sender.now + 10_000_000_000)
        }
    }

    nonisolated func finished(_ tag: Int, _ outcome: HTTP2Outcome, on sender: HTTP2Sender) {
        assumeIsolated { $0.finished(outcome) }
    }

    private func finished(_ outcome: HTTP2Outcome) {
        switch outcome {
        case .response(let response):
            count.answered += 1
            if response.status == 200 { count.ok += 1 }
        case .refused: count.refused += 1
        case .unknown: count.unknown += 1
        }
        if count.all == requests {
            done?.resume()
            done = nil
        }
    }

    nonisolated func opened(_ sender: HTTP2Sender) {}
    nonisolated func isGoingAway(_ sender: HTTP2Sender, _ reason: String) {}
    nonisolated func closed(_ sender: HTTP2Sender, _ reason: HTTP2Error, wasDraining: Bool) {}
}
