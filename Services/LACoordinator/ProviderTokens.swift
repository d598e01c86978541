import FanOut

/// Gives the loops the provider token that all processes share, and another one when APNs asks for it.
actor ProviderTokens {
    /// The least time between two replacements of the provider token: the loops must not alternate quickly between two
    /// tokens that APNs both refuses.
    private static let changeMin = Duration.seconds(3)

    private let source: ProviderTokenSource
    private let fanOut: FanOutLoops
    private var shown: ProviderAuthorization?
    /// When a token that APNs refused was last replaced.
    private var replacedAt = ContinuousClock.now - .seconds(3_600)

    init(source: ProviderTokenSource, fanOut: FanOutLoops) {
        self.source = source
        self.fanOut = fanOut
    }

    /// The age of the token that was shown last; nil before the first.
    var age: Duration? { get async { await source.age } }

    /// Returns the token to show now.
    func current() async throws -> String { try await source.current() }

    /// Gives the loops the current provider token if it has changed.
    func show() async throws {
        let token = try await source.current()
        if token != shown?.token { await show(token) }
    }

    /// Replaces the token with this serial, which APNs called expired.
    func replace(_ serial: Int) async { await replace(serial) { try await source.replacement(for: $0) } }

    /// Goes back to an older token: APNs has seen too many tokens and has refused the one with this serial.
    func showOlder(than serial: Int) async { await replace(serial) { try await source.older(than: $0) } }

    /// Replaces the token with this serial. Until then the loops send only an occasional probe with it, and ask for
    /// another token after each.
    private func replace(_ serial: Int, by other: (String) async throws -> String) async {
        guard let refused = shown, serial == refused.serial, .now - replacedAt >= Self.changeMin else { return }
        // A token that is too young to be replaced stays, and so does one that the database has no successor for now.
        guard let token = try? await other(refused.token), token != refused.token, serial == shown?.serial else {
            return
        }
        replacedAt = .now
        await show(token)
    }

    private func show(_ token: String) async {
        let authorization = ProviderAuthorization(token: token, serial: (shown?.serial ?? 0) + 1)
        shown = authorization
        await fanOut.onEach { $0.authorization = authorization }
    }
}
