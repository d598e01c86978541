/// The values of the `apns-priority` header.
public enum APNsPriority: Int, Codable, Sendable, Hashable, CaseIterable {
    /// The push never wakes the device.
    case whenAwake = 1
    /// The push may be grouped or delayed to spare the battery. It does not count against an activity's hourly budget.
    case routine = 5
    /// The push is delivered at once, and counts against the activity's hourly budget on the device.
    case immediate = 10
}
