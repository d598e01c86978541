/// What a phone makes of a push that APNs took: the failures of a real one are silent, so that only this shows them.
public enum DeviceVerdict: String, Codable, Sendable, Hashable, CaseIterable {
    /// The activity starts, changes or ends; the notification shows; the app wakes.
    case handled
    /// Not later than what the activity shows.
    case droppedOldTimestamp
    /// More than 8 h ahead of the phone's clock.
    case droppedFarTimestamp
    /// `apns-expiration` had passed when it arrived.
    case expired
    /// The activity has ended: nothing reaches it any more.
    case alreadyEnded
    /// `timestamp`, `event` or `content-state` is missing or is not what it should be.
    case notDecodable
    /// A start without title and body.
    case missingAlert
    /// A start without `attributes`, or with ones that the app's type does not decode from.
    case attributesNotDecodable
    /// A start whose `attributes-type` is not the app's: nothing happens.
    case wrongAttributesType
    /// A start to an update token, or an update or end to a push-to-start token.
    case wrongEventForToken
    /// An update of priority 10 beyond what the phone takes in an hour.
    case updateBudgetExceeded
    /// A start beyond what the phone takes in an hour.
    case startBudgetExceeded
}
