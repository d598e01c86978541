/// Why pushes do not get through to an APNs host.
package struct HostTrouble: Sendable, Equatable {
    package enum Kind: Sendable {
        /// Nothing but a push now and then is sent, until the host takes them again.
        case stopped
        /// The same, and the host refuses our key, team or topic, which somebody must correct.
        case refused
        /// No connection can be made.
        case unreachable
    }

    package var host: String
    package var kind: Kind
    /// One word of a fixed set.
    package var cause: String
    /// APNs' word, or what became of the last try to connect.
    package var reason: String

    package init(host: String, kind: Kind, cause: String, reason: String) {
        self.host = host
        self.kind = kind
        self.cause = cause
        self.reason = reason
    }
}
