import Postgres
import Store
import Tokens

/// This process's view of the one provider token that all processes share through the database.
actor ProviderTokenSource {
    /// The age at which the next token is made: old enough for APNs to accept another one, and well below an hour.
    private static let renewAtSeconds = 45 * 60

    /// Seconds between two looks at the database while no token may be made.
    private static let askFrozenAfter = 60

    private let store: ProviderTokenStore
    private let keyID: String
    private let teamID: String
    private let signer: ES256Signer
    private let verifier: ES256Verifier
    private let minAgeSeconds: Int
    private var cached: (token: String, until: ContinuousClock.Instant)?
    /// The token's age when it was read, and the time of that reading.
    private var read: (age: Int, at: ContinuousClock.Instant)?
    private var asking: Task<ProviderTokenStore.StoredToken, any Error>?

    init(store: ProviderTokenStore, keyID: String, teamID: String, signer: ES256Signer, minAge: Duration) throws {
        self.store = store
        self.keyID = keyID
        self.teamID = teamID
        self.signer = signer
        self.verifier = try ES256Verifier(pem: signer.publicKeyPEM)
        minAgeSeconds = Int(minAge.components.seconds)
    }

    /// The age of the token that was shown last; nil before the first.
    var age: Duration? { read.map { .seconds($0.age) + (.now - $0.at) } }

    /// Returns the token to show now.
    func current() async throws -> String {
        if let cached, .now < cached.until { return cached.token }
        return try await ask(renewAtSeconds: max(Self.renewAtSeconds, minAgeSeconds), rejected: nil)
    }

    /// Returns a replacement for a token that APNs called expired.
    /// - Returns: another token, if there is one or one may be made; the same token when it is too young to be
    ///   replaced.
    func replacement(for rejected: String) async throws -> String {
        if let cached, cached.token != rejected, .now < cached.until { return cached.token }
        return try await ask(renewAtSeconds: Self.renewAtSeconds, rejected: rejected)
    }

    /// Returns an older token, because APNs has seen too many and has refused this one. No token is made for 20
    /// minutes.
    /// - Returns: the token before this one; the same token when there is none that can still be shown.
    func older(than rejected: String) async throws -> String {
        if let cached, cached.token != rejected, .now < cached.until { return cached.token }
        try await store.freeze(keyID: keyID, newest: rejected)
        return try await ask(renewAtSeconds: Self.renewAtSeconds, rejected: rejected)
    }

    private func ask(renewAtSeconds: Int, rejected: String?) async throws -> String {
        if let asking { return try await asking.value.token }
        let task = Task { [store, keyID, teamID, signer, verifier, minAgeSeconds] in
            try await store.token(
                keyID: keyID, teamID: teamID, rejected: rejected,
                isGood: { stored in
                    // A token that was made with another key, or by a clock that was ahead, is not used, whatever its
                    // age.
                    guard stored.age > -60, Self.isSigned(stored.token, verifier) else { return false }
                    if stored.token == rejected { return stored.age < minAgeSeconds }
                    return stored.age < renewAtSeconds
                },
                mint: { try ProviderToken.make(keyID: keyID, teamID: teamID, issuedAt: $0, signer: signer) })
        }
        asking = task
        defer { asking = nil }
        let stored = try await task.value
        let good = stored.isFrozen ? Self.askFrozenAfter : renewAtSeconds - stored.age
        read = (stored.age, .now)
        cached = (stored.token, .now + .seconds(max(good, 5)))
        return stored.token
    }

    private static func isSigned(_ token: String, _ verifier: ES256Verifier) -> Bool {
        guard let dot = token.lastIndex(of: "."),
            let signature = Base64URL.decode(String(token[token.index(after: dot)...]))
        else { return false }
        return verifier.isValid(signature: signature, of: Array(token[..<dot].utf8))
    }
}
