import Cricket

extension Overs {
    /// The overs of the provider's number times ten: 184 is 18 overs and 4 balls. Six balls count as an over, should
    /// the provider ever say so.
    init(tenths: Int, ballsPerOver: Int = Overs.usualBalls) {
        let balls = min(tenths % 10, ballsPerOver)
        self.init(legalBalls: tenths / 10 * ballsPerOver + balls, ballsPerOver: ballsPerOver)
    }
}
