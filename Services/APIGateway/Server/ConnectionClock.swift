import NIOCore

/// What a connection is waiting for, and until when.
struct ConnectionClock {
    enum Stage: Equatable {
        /// For the first byte of a request.
        case idle
        /// For the rest of a request's header.
        case head
        /// For the rest of its body.
        case body
        /// For the handler.
        case answer
        /// For the client to take the answer.
        case write
        /// For the client to close.
        case linger
    }

    private let times: GatewayTimes
    private(set) var stage = Stage.idle
    private(set) var deadline: NIODeadline
    /// When the whole request that is arriving must be here; for a connection's first request that is known beforehand.
    private var requestDeadline: NIODeadline?

    init(times: GatewayTimes, openedAt now: NIODeadline) {
        self.times = times
        deadline = now + times.idle
        requestDeadline = now + times.request
    }

    /// Part of a request is here. Called for each part; only the first one starts the time.
    mutating func arriving(inBody: Bool, at now: NIODeadline) {
        if stage == .idle {
            let whole = requestDeadline ?? now + times.request
            requestDeadline = whole
            stage = .head
            deadline = min(now + times.head, whole)
        }
        if inBody, let requestDeadline {
            stage = .body
            deadline = requestDeadline
        }
    }

    /// The request is here as a whole.
    mutating func arrived(at now: NIODeadline) {
        requestDeadline = nil
        stage = .answer
        deadline = now + times.answer
    }

    mutating func answering(at now: NIODeadline) {
        stage = .write
        deadline = now + times.write
    }

    /// The client has its answer.
    mutating func answered(at now: NIODeadline) {
        stage = .idle
        deadline = now + times.idle
    }

    mutating func lingering(at now: NIODeadline) {
        stage = .linger
        deadline = now + times.linger
    }
}
