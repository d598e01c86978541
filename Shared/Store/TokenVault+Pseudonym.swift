package import SightscreenModels

extension TokenVault {
    /// Returns the name of an account in the log: a hash under the lookup key, which never changes. The prefix keeps it
    /// apart from the lookup of any token.
    /// - Returns: nil without a key file, since without a key anybody could tell whose hash it is.
    package func pseudonym(of user: UserID) -> String? {
        let text = "account:\(user.rawValue)"
        guard let lookup = try? keys(of: text).lookup, lookup != text else { return nil }
        return String(lookup.dropFirst())
    }
}
