/// The result on the phone of a push that APNs accepted. Failures on a real phone are silent, so only this shows them.
public enum DeviceOutcome: String, Codable, Sendable, Hashable, CaseIterable {
    /// The activity starts, changes or ends; the notification shows; the app wakes.
    case handled
    /// The stamp is not later than the one that the activity shows.
    case droppedOldTimestamp
    /// The stamp is more than 8 h ahead of the phone's clock.
    case droppedFarTimestamp
    /// `apns-expiration` had passed when the push arrived.
    case expired
    /// The activity has ended, and nothing reaches it any more.
    case alreadyEnded
    /// `timestamp`, `event` or `content-state` is missing or malformed.
    case notDecodable
    /// A start has no title or no body.
    case missingAlert
    /// A start has no `attributes`, or ones that the app's type cannot decode.
    case attributesNotDecodable
    /// A start has an `attributes-type` that is not the app's, so nothing happens.
    case wrongAttributesType
    /// A start went to an update token, or an update or end to a push-to-start token.
    case wrongEventForToken
    /// An update of priority 10 is beyond the phone's hourly budget.
    case updateBudgetExceeded
    /// A start is beyond the phone's hourly budget.
    case startBudgetExceeded
    /// A start names a channel that does not exist in its environment, so no activity begins.
    case unknownChannel
    /// A start names a channel and asks for an update token, so no activity begins.
    case conflictingInput
    /// The publish to a channel got lost on its way to this phone.
    case lost
}
