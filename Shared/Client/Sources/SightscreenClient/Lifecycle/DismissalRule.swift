/// Decides whether the user removed an activity that left the screen. The backend takes that for an unfollow.
///
/// ActivityKit reports every activity that leaves the screen as dismissed. It does not mean an unfollow when the app
/// ended the activity, nor when the system removed it: because it was over already, because it had its 8 hours, or
/// because the user switched Live Activities off.
struct DismissalRule {
    /// The age from which the system ends an activity, in seconds. iOS does it after 8 h, and its clock may differ a
    /// little from this one.
    static let lifetime = 8 * 3_600 - 60

    /// Whether the app ended the activity.
    var endedByApp: Bool
    /// Whether the activity was over before it left the screen.
    var hadEnded: Bool
    /// The seconds since the app first saw the activity.
    var age: Int
    var showsActivities: Bool

    var isByUser: Bool { !endedByApp && !hadEnded && age < Self.lifetime && showsActivities }
}
