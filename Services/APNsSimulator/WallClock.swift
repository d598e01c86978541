import FoundationEssentials

/// The simulator's clock is the machine's, as APNs' is nobody else's.
enum WallClock {
    /// Milliseconds since 1970.
    static var nowMs: Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }
}
