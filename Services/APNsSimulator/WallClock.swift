import FoundationEssentials
/// The machine's clock, the only one that the simulator has.
enum WallClock {
    /// Milliseconds since 1970.
    static var nowMs: Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }
}
