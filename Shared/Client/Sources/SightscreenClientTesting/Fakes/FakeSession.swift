public import SightscreenClient
public import SightscreenModels

/// One user with ready tokens, for previews, tests and simulated phones.
public actor FakeSession: SessionPort {
    private var user: UserID?
    private var token: String?
    private var refreshed: [String]
    /// The number of refreshes so far.
    public private(set) var refreshes = 0

    /// - Parameters:
    ///   - user: the signed-in user; nil for none.
    ///   - token: the user's token.
    ///   - refreshed: the tokens of further refreshes, in order; after them there is none.
    public init(user: UserID?, token: String?, refreshed: [String] = []) {
        self.user = user
        self.token = token
        self.refreshed = refreshed
    }

    public func signIn(_ user: UserID, token: String) {
        self.user = user
        self.token = token
    }

    public func signOut() {
        user = nil
        token = nil
    }

    public func currentUserID() -> UserID? { user }

    public func accessToken() -> String? { token }

    public func accessToken(insteadOf rejected: String) -> String? {
        // Another call has refreshed the token meanwhile.
        if let token, token != rejected { return token }
        refreshes += 1
        token = refreshed.isEmpty ? nil : refreshed.removeFirst()
        return token
    }
}
