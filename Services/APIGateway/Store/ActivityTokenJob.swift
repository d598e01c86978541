import SightscreenModels

/// One `POST /matches/:id/activity-token` that waits for its batch.
struct ActivityTokenJob: Batchable {
    var request: ActivityTokenRequest
    var match: MatchID
    var user: UserID

    /// Hashes of the user and of the token, because they are compared many times and the texts are long. Two jobs whose
    /// hashes happen to be equal go one after the other, which is just as correct.
    var conflictKeys: [Int] { [Self.hash(0, user.rawValue), Self.hash(1, request.activityToken.rawValue)] }

    private static func hash(_ kind: Int, _ text: String) -> Int {
        var hasher = Hasher()
        hasher.combine(kind)
        hasher.combine(text)
        return hasher.finalize()
    }
}
