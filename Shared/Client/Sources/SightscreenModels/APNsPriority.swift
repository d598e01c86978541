/// `apns-priority`.
public enum APNsPriority: Int, Codable, Sendable, Hashable, CaseIterable {
    /// Never wakes the device.
    case whenAwake = 1
    /// May be grouped or delayed to spare the battery; outside the hourly budget of an activity.
    case routine = 5
    /// At once, and counted against the activity's hourly budget on the device.
    case immediate = 10
}
