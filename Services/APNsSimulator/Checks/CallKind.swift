/// The kinds of requests, by which faults and counts tell them apart.
enum CallKind: String, Codable, Sendable, Hashable, CaseIterable {
    /// A push to one device.
    case push
    /// A publish to a channel.
    case publish
    case create
    case read
    case delete
    case list
    /// In a fault: any request to the management port. Of a request: one to that port which is none of the four.
    case management

    var isOfManagement: Bool { self != .push && self != .publish }
}
