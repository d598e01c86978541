/// Whether an activity that left the screen was removed by the user, which the backend takes for an unfollow.
///
/// ActivityKit calls everything that leaves the screen dismissed. The app's own ends are not the user's wish, nor is what
/// the system clears away: an activity that was over already, one that had its 8 hours, all of them when the user
/// switches Live Activities off.
struct DismissalRule {
    /// iOS ends an activity after 8 h; its clock and ours may differ a little.
    static let lifetime = 8 * 3_600 - 60

    /// The app ended it.
    var endedByApp: Bool
    /// It was over before it left the screen.
    var hadEnded: Bool
    /// Seconds since the app first saw it.
    var age: Int
    var showsActivities: Bool

    var isByUser: Bool { !endedByApp && !hadEnded && age < Self.lifetime && showsActivities }
}
