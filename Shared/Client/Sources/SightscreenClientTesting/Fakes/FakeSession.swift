public import SightscreenClient
public import SightscreenModels

/// One user with ready tokens, for previews, tests and simulated phones.
public actor FakeSession: SessionPort {
    private var user: UserID?
    private var token: String?
    private var refreshed: [String]
    /// How often a token was asked for in place of a refused one.
    public private(set) var refreshes = 0

    /// - Parameter refreshed: what further refreshes give, in order; after them there is none.
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
        // Somebody else has refreshed it meanwhile.
        if let token, token != rejected { return token }
        refreshes += 1
        token = refreshed.isEmpty ? nil : refreshed.removeFirst()
        return token
    }
}
