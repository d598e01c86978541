import Reactor

extension Backoff {
    /// The pause between attempts to connect: at least half of the bound, so that a server that restarts is not
    /// flooded.
    static var ofConnecting: Self { Self(initial: .milliseconds(50), maximum: .seconds(1), part: 0.5...1) }
}
