public import SightscreenModels

/// Which days stay in memory.
public enum ScheduleWindow {
    /// A week: what a strip of dates shows.
    public static let radius = 3

    /// - Parameter radius: how many days before and after it; not less than none, and no more than a year.
    public static func around(_ day: UTCDay, radius: Int = Self.radius) -> ClosedRange<UTCDay> {
        let radius = min(max(radius, 0), 366)
        return (day - radius)...(day + radius)
    }
}
