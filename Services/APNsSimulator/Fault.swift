import FoundationEssentials
import HTTP2
import SightscreenModels

/// A fault that a test asks for, which applies to the next requests that match. It is the body of `POST /faults`.
struct Fault: Codable, Sendable, Hashable {
    struct Match: Codable, Sendable, Hashable {
        /// The kind of request; nil matches pushes and publishes, not the management port.
        var call: CallKind?
        /// The channel's id.
        var channel: String?
        /// The beginning of the token; nil matches all tokens.
        var tokenPrefix: String?
        var environment: APNsEnvironment?
        /// `aps.event`: start, update or end.
        var event: LiveActivityEvent?
        /// `apns-push-type`.
        var pushType: PushType?
        /// Matching requests that pass first; 0 by default.
        var after: Int?
        /// Requests that the fault applies to before it is removed; 1 by default (without end with `forMs` or `share`),
        /// 0 without end.
        var count: Int?
        /// Milliseconds from the request for the fault to its start; 0 by default.
        var afterMs: Int?
        /// Milliseconds from its start after which the fault is removed.
        var forMs: Int?
        /// The share of the matching requests that it applies to, spread evenly, from 0 to 1; all by default.
        var share: Double?
    }

    enum Action: Sendable, Hashable {
        /// Gives this answer, whatever the request, which is not delivered.
        case answer(SimulatorAnswer)
        /// Sends GOAWAY with this reason. The request and all later streams were never processed, or with `processed`
        /// the request is the last one that was. Later streams that were complete before it are processed all the same.
        case goAway(reason: String, processed: Bool)
        /// Resets the stream, which was never processed.
        case reset(HTTP2ErrorCode)
        /// Processes the push (unless `delivered` is false) and never answers.
        case mute(delivered: Bool)
        /// Processes the push (unless `delivered` is false) and closes the connection.
        case close(delivered: Bool)
        /// Delays the answer.
        case delay(milliseconds: Int)
        /// Limits the streams of this connection from now on.
        case streamLimit(Int)
        /// Loses this share of a publish's deliveries to phones.
        case lose(share: Double)

        /// The answer in place of the real one; nil for a request that is processed.
        var replacement: SimulatorAnswer? {
            switch self {
            case .answer(let other): other
            case .reset, .goAway(_, processed: false), .mute(delivered: false), .close(delivered: false):
                .unanswered
            case .goAway, .mute, .close, .delay, .streamLimit, .lose: nil
            }
        }
    }

    var match: Match
    var action: Action

    /// The name of the fault in a delivery line.
    enum Name: String, Sendable {
        case answer, goaway, rst, mute, close, delay, streamLimit, lose
    }

    var name: Name {
        switch action {
        case .answer: .answer
        case .goAway: .goaway
        case .reset: .rst
        case .mute: .mute
        case .close: .close
        case .delay: .delay
        case .streamLimit: .streamLimit
        case .lose: .lose
        }
    }
    /// The properties of a request by which a fault selects it.
    struct Target {
        var call = CallKind.push
        /// The token of the path; nil if it has none.
        var token: UnsafeRawBufferPointer?
        var environment: APNsEnvironment
        var event: LiveActivityEvent?
        var pushType: String?
        /// The id in `apns-channel-id`.
        var channel: String?
    }

    func hits(_ target: Target) -> Bool {
        switch match.call {
        case nil: if target.call.isOfManagement { return false }
        case .management: if !target.call.isOfManagement { return false }
        case let wanted?: if wanted != target.call { return false }
        }
        if let wanted = match.channel, wanted != target.channel { return false }
        if let prefix = match.tokenPrefix {
            guard let token = target.token, Self.begins(token, with: prefix) else { return false }
        }
        if let wanted = match.environment, wanted != target.environment { return false }
        if let wanted = match.event, wanted != target.event { return false }
        if let wanted = match.pushType, wanted.rawValue != target.pushType { return false }
        return true
    }

    /// Whether the token begins with the prefix, regardless of case.
    private static func begins(_ token: UnsafeRawBufferPointer, with prefix: String) -> Bool {
        func lower(_ byte: UInt8) -> UInt8 {
            (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
        }
        let prefix = prefix.utf8
        return token.count >= prefix.count && zip(token, prefix).allSatisfy { lower($0) == lower($1) }
    }

    private enum Key: String, CodingKey {
        case match, status, reason, timestamp, retryAfter, goaway, processed, rst, mute, close, delivered, delayMs
        case streamLimit, lostShare
    }

    init(from decoder: any Decoder) throws {
        let keys = try decoder.container(keyedBy: Key.self)
        match = try keys.decodeIfPresent(Match.self, forKey: .match) ?? Match()
        try Self.require((0.0...1.0).contains(match.share ?? 1), keys, "share is 0 to 1")
        let day = 0...86_400_000
        try Self.require(
            day.contains(match.afterMs ?? 0) && day.contains(match.forMs ?? 0), keys,
            "afterMs and forMs are 0 to \(day.upperBound)")
        let delivered = try keys.decodeIfPresent(Bool.self, forKey: .delivered) ?? true
        if let milliseconds = try keys.decodeIfPresent(Int.self, forKey: .delayMs) {
            try Self.require((0...600_000).contains(milliseconds), keys, "delayMs is 0 to 600000")
            action = .delay(milliseconds: milliseconds)
        } else if let limit = try keys.decodeIfPresent(Int.self, forKey: .streamLimit) {
            try Self.require((0...100_000).contains(limit), keys, "streamLimit is 0 to 100000")
            action = .streamLimit(limit)
        } else if let share = try keys.decodeIfPresent(Double.self, forKey: .lostShare) {
            try Self.require((0.0...1.0).contains(share), keys, "lostShare is 0 to 1")
            action = .lose(share: share)
        } else if try keys.decodeIfPresent(Bool.self, forKey: .mute) == true {
            action = .mute(delivered: delivered)
        } else if try keys.decodeIfPresent(Bool.self, forKey: .close) == true {
            action = .close(delivered: delivered)
        } else if let reason = try keys.decodeIfPresent(String.self, forKey: .goaway) {
            action = .goAway(
                reason: reason, processed: try keys.decodeIfPresent(Bool.self, forKey: .processed) ?? false)
        } else if let name = try keys.decodeIfPresent(String.self, forKey: .rst) {
            let codes: [String: HTTP2ErrorCode] = [
                "REFUSED_STREAM": .refusedStream, "ENHANCE_YOUR_CALM": .enhanceYourCalm, "CANCEL": .cancel,
                "INTERNAL_ERROR": .internalError,
            ]
            guard let code = codes[name] else {
                throw Self.error(keys, "rst is one of \(codes.keys.sorted().joined(separator: ", "))")
            }
            action = .reset(code)
        } else {
            action = .answer(try Self.answer(keys))
        }
    }

    private static func answer(_ keys: KeyedDecodingContainer<Key>) throws -> SimulatorAnswer {
        let text = try keys.decodeIfPresent(String.self, forKey: .reason)
        let known = text.flatMap(Refusal.init(rawValue:))
        guard let status = try keys.decodeIfPresent(Int.self, forKey: .status) ?? known?.status else {
            throw error(
                keys, "a fault has status and reason, goaway, rst, mute, close, delayMs, streamLimit or lostShare")
        }
        try require((200...599).contains(status), keys, "status is 200 to 599")
        let retryAfter = try keys.decodeIfPresent(Int.self, forKey: .retryAfter)
        try require((0...86_400).contains(retryAfter ?? 0), keys, "retryAfter is 0 to 86400")
        return SimulatorAnswer(
            status: status, reason: text, timestampMs: try keys.decodeIfPresent(Int64.self, forKey: .timestamp),
            retryAfter: retryAfter)
    }

    private static func require(_ holds: Bool, _ keys: KeyedDecodingContainer<Key>, _ rule: String) throws {
        if !holds { throw error(keys, rule) }
    }

    private static func error(_ keys: KeyedDecodingContainer<Key>, _ rule: String) -> DecodingError {
        .dataCorrupted(.init(codingPath: keys.codingPath, debugDescription: rule))
    }

    func encode(to encoder: any Encoder) throws {
        var keys = encoder.container(keyedBy: Key.self)
        try keys.encode(match, forKey: .match)
        switch action {
        case .answer(let answer):
            try keys.encode(answer.status, forKey: .status)
            try keys.encodeIfPresent(answer.reason, forKey: .reason)
            try keys.encodeIfPresent(answer.timestampMs, forKey: .timestamp)
            try keys.encodeIfPresent(answer.retryAfter, forKey: .retryAfter)
        case .goAway(let reason, let processed):
            try keys.encode(reason, forKey: .goaway)
            try keys.encode(processed, forKey: .processed)
        case .reset(let code): try keys.encode(code.description, forKey: .rst)
        case .mute(let delivered):
            try keys.encode(true, forKey: .mute)
            try keys.encode(delivered, forKey: .delivered)
        case .close(let delivered):
            try keys.encode(true, forKey: .close)
            try keys.encode(delivered, forKey: .delivered)
        case .delay(let milliseconds): try keys.encode(milliseconds, forKey: .delayMs)
        case .streamLimit(let limit): try keys.encode(limit, forKey: .streamLimit)
        case .lose(let share): try keys.encode(share, forKey: .lostShare)
        }
    }
}
