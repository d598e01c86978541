import SightscreenModels

/// A broadcast channel with the phones that listen to it.
final class Channel {
    /// The newest message of a channel that stores one.
    struct Stored {
        var payload: KnownPayload
        var publish: DeliveryLog.Publish
        var priority: Int
        /// The time until which it is kept, in seconds since 1970.
        var expiration: Int
    }

    let id: String
    let environment: APNsEnvironment
    /// The storage policy: 0 stores no message, 1 the newest one.
    let policy: Int
    /// Publishes that were accepted.
    var publishes = 0
    var budget = PublishBudget()
    var stored: Stored?
    var listeners = Listeners()

    init(id: String, environment: APNsEnvironment, policy: Int) {
        self.id = id
        self.environment = environment
        self.policy = policy
    }
}
