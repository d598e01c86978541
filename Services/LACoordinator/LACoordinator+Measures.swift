import APNsProtocol
import HTTP2
import Messages
import Metrics
import ServiceKit
import SightscreenModels
import Store

/// What the operator sees of how things stand, the database being there or not.
extension LACoordinator {
    static let measureInterval = Duration.seconds(1)

    func measure() async {
        let measure = await fanOut.measure()
        Gauge(label: "sightscreen_phones").record(measure.phones)
        Gauge(label: "sightscreen_fanout_lag_seconds").record(Double(measure.lag) / 1e9)
        for environment in APNsEnvironment.allCases {
            let lines = measure.lines[environment] ?? FanOutMeasure.Lines()
            let dimensions = [("environment", environment.rawValue)]
            Gauge(label: "sightscreen_apns_connections", dimensions: dimensions).record(lines.connections)
            Gauge(label: "sightscreen_pushes_in_flight", dimensions: dimensions).record(lines.inFlight)
        }
        if let age = await tokens.age { Gauge(label: "sightscreen_apns_token_age_seconds").record(age / .seconds(1)) }
        let standstills = freezes.standstills
        Counter(label: "sightscreen_standstills_total").increment(by: Int64(standstills - countedStandstills))
        countedStandstills = standstills
    }

    /// From the commit to here. What was committed before this process knew of the match is no news.
    func noteArrival(_ update: MatchUpdate, isLogged: Bool) {
        guard let committedAt = update.committedAtMs else { return }
        Metrics.Timer(
            label: "sightscreen_version_delay_seconds", dimensions: [("way", isLogged ? "log" : "doorbell")]
        ).recordMilliseconds(max(clock.milliseconds - committedAt, 0))
    }

    func countClosed(host: String) {
        let isProduction = host == configuration.apns.production.authority
        let environment = isProduction ? APNsEnvironment.production : .sandbox
        Counter(
            label: "sightscreen_apns_connections_closed_total", dimensions: [("environment", environment.rawValue)]
        ).increment()
    }
}
