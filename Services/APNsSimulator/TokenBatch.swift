import SightscreenModels

/// Tokens to be registered together.
struct TokenBatch: Sendable {
    struct Entry: Sendable {
        var kind: PushTokenKind
        var environment: APNsEnvironment
        /// The stamp that the token's activity shows already; nil when it is not known.
        var timestamp: Int?
        /// The match that the activity follows, by which `GET /counts` groups; nil when it was not given.
        var match: Int?
        var frequentPushes: Bool
        /// The bundle id of the app that the token is of; nil: the simulator's own.
        var bundle: String?
        fileprivate var digits: Int
        fileprivate var start: Int
    }

    private var bytes: [UInt8] = []
    private var packed = [UInt8](repeating: 0, count: TokenKey.bytesMax)
    private(set) var entries: [Entry] = []

    /// Adds a token. Returns false when the text is no token.
    mutating func add(
        _ token: UnsafeRawBufferPointer, _ kind: PushTokenKind, _ environment: APNsEnvironment, timestamp: Int?,
        match: Int?, frequentPushes: Bool, bundle: String? = nil
    ) -> Bool {
        let count = (token.count + 1) / 2
        let isToken = packed.withUnsafeMutableBytes { TokenKey.pack(token, into: $0) }
        guard isToken else { return false }
        entries.append(
            Entry(
                kind: kind, environment: environment, timestamp: timestamp, match: match,
                frequentPushes: frequentPushes, bundle: bundle, digits: token.count, start: bytes.count))
        bytes += packed[..<count]
        return true
    }

    mutating func removeAll() {
        entries.removeAll(keepingCapacity: true)
        bytes.removeAll(keepingCapacity: true)
    }

    func forEach(_ body: (_ key: UnsafeRawBufferPointer, _ digits: Int, Entry) throws -> Void) rethrows {
        try bytes.withUnsafeBytes { all in
            for entry in entries {
                let end = entry.start + (entry.digits + 1) / 2
                try body(UnsafeRawBufferPointer(rebasing: all[entry.start..<end]), entry.digits, entry)
            }
        }
    }
}
