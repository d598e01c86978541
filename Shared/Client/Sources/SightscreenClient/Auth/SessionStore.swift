#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Stores the session in the Keychain, and a mark in UserDefaults that there is one.
///
/// The Keychain outlives the removal of the app, UserDefaults do not. A session is valid only while both agree, so a
/// newly installed app begins signed out, and so does one whose Keychain could not be cleared at a sign-out.
struct SessionStore: Sendable {
    static let sessionName = "sightscreen.session"
    static let pendingName = "sightscreen.pending"
    static let markKey = "auth.session"

    let keychain: any KeychainPort
    let store: any KeyValueStore
    let clientID: String

    func session() throws(KeychainError) -> StoredSession? {
        // The Keychain is read first, because UserDefaults look empty, too, while the Keychain is locked.
        guard let bytes = try keychain.read(Self.sessionName) else { return nil }
        guard store.strings(forKey: Self.markKey) == [clientID],
            let session = try? JSONDecoder().decode(StoredSession.self, from: Data(bytes)),
            session.clientID == clientID
        else {
            try keychain.remove(Self.sessionName)
            return nil
        }
        return session
    }

    func keep(_ session: StoredSession) throws(KeychainError) {
        guard let bytes = try? [UInt8](JSONEncoder().encode(session)) else { return }
        try keychain.write(bytes, as: Self.sessionName)
        store.set([clientID], forKey: Self.markKey)
    }

    func clear() throws(KeychainError) {
        // The mark goes first, because without it the stored session is not valid.
        store.set(nil, forKey: Self.markKey)
        try keychain.remove(Self.sessionName)
    }

    func pending() -> PendingCodes {
        guard let bytes = try? keychain.read(Self.pendingName),
            let pending = try? JSONDecoder().decode(PendingCodes.self, from: Data(bytes))
        else { return PendingCodes() }
        return pending
    }

    func keep(_ pending: PendingCodes) throws(KeychainError) {
        guard pending != PendingCodes() else { return try keychain.remove(Self.pendingName) }
        guard let bytes = try? [UInt8](JSONEncoder().encode(pending)) else { return }
        try keychain.write(bytes, as: Self.pendingName)
    }
}
