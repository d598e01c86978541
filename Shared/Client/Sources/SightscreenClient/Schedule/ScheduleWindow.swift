public import SightscreenModels

/// The days that stay in memory.
public enum ScheduleWindow {
    /// The number of days before and after the shown one: together a week, as a strip of dates shows it.
    public static let radius = 3

    /// - Parameters:
    ///   - day: the day in the middle.
    ///   - radius: the number of days before and after it, limited to 0 to 366.
    public static func around(_ day: UTCDay, radius: Int = Self.radius) -> ClosedRange<UTCDay> {
        let radius = min(max(radius, 0), 366)
        return (day - radius)...(day + radius)
    }
}
