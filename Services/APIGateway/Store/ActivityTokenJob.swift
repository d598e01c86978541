import SightscreenModels

/// One `POST /matches/:id/activity-token`, as it waits for its batch.
struct ActivityTokenJob: Gatherable {
    var request: ActivityTokenRequest
    var match: MatchID
    var user: UserID

    /// Hashes of the user and of the token: they are looked for many times, and the texts are long. Two that happen to
    /// have the same one go one after the other, which is as right as together.
    var conflictKeys: [Int] { [Self.hash(0, user.rawValue), Self.hash(1, request.activityToken.rawValue)] }

    private static func hash(_ kind: Int, _ text: String) -> Int {
        var hasher = Hasher()
        hasher.combine(kind)
        hasher.combine(text)
        return hasher.finalize()
    }
}
