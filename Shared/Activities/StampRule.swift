public import SightscreenModels

/// Decides whether a state can be sent with the stamp it has, or needs a fresh one first.
///
/// A phone drops an update that is not later than what it shows. A start carried a stamp of its own, and an activity
/// that the app started itself carries the phone's clock.
public enum StampRule {
    /// Seconds after which a stamp is too old for anything but the version it belongs to.
    public static let ageMax = 10
    /// - Parameters:
    ///   - tokenAt: when the activity's token was registered, for its first state; nil for a repetition.
    ///   - now: the current time. Both times are in seconds since 1970 by the database's clock.
    public static func isUsable(_ stamp: Stamp, tokenAt: Int?, now: Int) -> Bool {
        guard now - stamp.rawValue <= ageMax else { return false }
        // An activity that the app started carries the phone's clock of at most that moment. One that a push started
        // has this very stamp and shows this state, or has an older one.
        return tokenAt.map { stamp.rawValue > $0 } ?? true
    }
}
