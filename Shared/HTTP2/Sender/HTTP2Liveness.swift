/// Tracks whether a peer is alive, by the bytes that arrive and by PING.
struct HTTP2Liveness {
    enum Need { case nothing, ping, goodbye }

    /// The round trip of the first PING, in nanoseconds; 0 before its answer.
    private(set) var roundTrip: Int64 = 0
    /// When bytes last arrived. All times are by `MonotonicTime`.
    private var heardAt: Int64
    private var heardBytes: UInt64 = 0
    /// When the unanswered PING was sent; nil when there is none.
    private var pingSentAt: Int64?
    private var pongs = 0

    init(now: Int64) { heardAt = now }

    mutating func pinged(now: Int64) { pingSentAt = now }

    /// - Parameter pongs: the number of PINGs that the peer has answered so far.
    mutating func heard(pongs: Int, now: Int64) {
        guard let sent = pingSentAt, pongs > self.pongs else { return }
        self.pongs = pongs
        pingSentAt = nil
        if roundTrip == 0 { roundTrip = max(1, now - sent) }
    }

    /// Returns what to do about a silent peer; to be called a few times a second.
    /// - Parameter bytes: the number of bytes that have arrived so far.
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
