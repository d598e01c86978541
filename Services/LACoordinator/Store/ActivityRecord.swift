package import Activities
import Postgres
package import SightscreenModels

/// The part of a row of `live_activities` that a coordinator works with.
package struct ActivityRecord: Sendable, Hashable {
    package enum Status: String, Sendable { case pending, active, ended }

    package var key: ActivityKey
    package var route: DeviceRoute
    package var environment: APNsEnvironment
    package var status: Status
    package var updateToken: UpdateToken?
    /// When the token was registered, seconds since 1970.
    package var tokenAt: Double
    /// The alert level of the follow; `none` when the user does not follow the match.
    package var alerts: AlertLevel
    /// When that level was set, in seconds since 1970; nil when it is so long ago that no alert before it is fresh.
    package var levelAt: Double?
    /// The device's user has not switched frequent updates off.
    package var takesFrequentPushes: Bool
}
