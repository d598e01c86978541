import Activities

/// How far the starting of one generation has come; of an active one, its renewal.
struct ModelStart: Hashable, Sendable {
    /// Starts that may have arrived and that nobody answered with a token.
    var tries: Int
    /// Starts of a pending generation that may have arrived; the app's registration does not take them back.
    var sent: Int
    /// The last of them; nil when none is left.
    var sentAt: Moment?
    /// No other start may leave before.
    var leaseUntil: Moment?
    /// Nothing more until the app registers again.
    var givenUpAt: Moment?

    init(
        tries: Int = 0, sent: Int = 0, sentAt: Moment? = nil, leaseUntil: Moment? = nil, givenUpAt: Moment? = nil
    ) {
        self.tries = tries
        self.sent = sent
        self.sentAt = sentAt
        self.leaseUntil = leaseUntil
        self.givenUpAt = givenUpAt
    }

    func isLeased(_ now: Moment) -> Bool { leaseUntil.map { $0 > now } ?? false }
}
