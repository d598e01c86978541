import FanOut

/// The provider token that the loops show: of the one that all processes share, and another one when APNs asks for it.
actor ProviderTokens {
    /// Between two changes of the provider token that APNs asked for: two that it takes neither of must not go to and fro.
    private static let changeMin = Duration.seconds(3)

    private let source: ProviderTokenSource
    private let fanOut: FanOutLoops
    private var shown: ProviderAuthorization?
    /// When APNs last asked for another one and got it.
    private var replacedAt = ContinuousClock.now - .seconds(3_600)

    init(source: ProviderTokenSource, fanOut: FanOutLoops) {
        self.source = source
        self.fanOut = fanOut
    }

    /// Of the token that was shown last.
    var age: Duration? { get async { await source.age } }

    /// Shows the loops the provider token of now.
    func show() async throws {
        let token = try await source.current()
        if token != shown?.token { await show(token) }
    }

    /// APNs called the token with this serial expired.
    func replace(_ serial: Int) async { await replace(serial) { try await source.replacement(for: $0) } }

    /// APNs has seen too many tokens, and has not taken the one with this serial.
    func showOlder(than serial: Int) async { await replace(serial) { try await source.older(than: $0) } }

    /// The loops send nothing with the token of this serial but a push now and then, and ask for another each time.
    private func replace(_ serial: Int, by other: (String) async throws -> String) async {
        guard let refused = shown, serial == refused.serial, .now - replacedAt >= Self.changeMin else { return }
        // One that is too young to be replaced stays; so does one for which the database has no successor now.
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
