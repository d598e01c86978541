/// What is known of whether a peer is there, by the bytes that come and by PING.
struct HTTP2Liveness {
    enum Need { case nothing, ping, goodbye }

    /// In nanoseconds, of the first PING; 0 before its answer.
    private(set) var roundTrip: Int64 = 0
    /// All times by `MonotonicTime`.
    private var heardAt: Int64
    private var heardBytes: UInt64 = 0
    /// Nil: no PING is under way.
    private var pingSentAt: Int64?
    private var pongs = 0

    init(now: Int64) { heardAt = now }

    mutating func pinged(now: Int64) { pingSentAt = now }

    /// - Parameter pongs: PINGs that the peer has answered so far.
    mutating func heard(pongs: Int, now: Int64) {
        guard let sent = pingSentAt, pongs > self.pongs else { return }
        self.pongs = pongs
        pingSentAt = nil
        if roundTrip == 0 { roundTrip = max(1, now - sent) }
    }

    /// What is to be done about a silent peer; to be asked a few times a second.
    /// - Parameter bytes: that have come so far.
    mutating func need(bytes: UInt64, limits: HTTP2ClientLimits, now: Int64) -> Need {
        if bytes != heardBytes {
            heardBytes = bytes
            heardAt = now
        }
        if let pingSentAt {
            let silence = now - max(pingSentAt, heardAt)
            return silence >= MonotonicTime.nanoseconds(limits.pingTimeout) ? .goodbye : .nothing
        }
        return now - heardAt >= MonotonicTime.nanoseconds(limits.pingAfter) ? .ping : .nothing
    }
}
