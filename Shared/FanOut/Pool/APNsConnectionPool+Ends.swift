extension APNsConnectionPool {
    /// Judges the token of an end as that of a phone that gets updates is judged.
    func judge(_ ended: EndedToken, _ outcome: UpdateOutcome, _ finding: TopicDetector.Finding) {
        if finding == .otherApp { loop.tally.rejectedEnds.append(ended) }
        if outcome.phone == .retireUnlessMany {
            badTokens.noteBad(.ended(ended), of: RosterKey.account(of: ended.user), isProven: false)
        }
    }
}
