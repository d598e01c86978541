import APNsProtocol
import Activities
import FanOut
import HTTP2
import Logging
import Metrics
import ServiceKit
import SightscreenModels

/// Metrics of the current state of the loops, recorded whether the database answers or not.
struct FanOutMetrics: Sendable {
    private static let interval = Duration.seconds(1)

    private let fanOut: FanOutLoops
    private let tokens: ProviderTokens
    private let stalls: StallDetector
    private let store: ActivityStore
    private let readiness: Readiness
    private let logger: Logger

    init(
        fanOut: FanOutLoops, tokens: ProviderTokens, stalls: StallDetector, store: ActivityStore,
        readiness: Readiness, logger: Logger
    ) {
        self.fanOut = fanOut
        self.tokens = tokens
        self.stalls = stalls
        self.store = store
        self.readiness = readiness
        self.logger = logger
    }

    /// Measures once a second until the task is cancelled.
    @Sendable func run() async {
        var stallCount = 0
        var proofs: [APNsEnvironment: Bool] = [:]
        var outages = Outages()
        while !Task.isCancelled {
            await measure(&proofs, &outages)
            Counter(label: "sightscreen_stalls_total").increment(by: Int64(stalls.stallCount - stallCount))
            stallCount = stalls.stallCount
            try? await Task.sleep(for: Self.interval)
        }
    }

    /// - Parameter proofs: whether tokens of a host were proven before this process started; asked when it matters.
    private func measure(_ proofs: inout [APNsEnvironment: Bool], _ outages: inout Outages) async {
        var measure = FanOutMeasure()
        for part in await fanOut.onEach({ $0.measure() }) { measure.add(part) }
        let now = MonotonicTime.now
        Gauge(label: "sightscreen_phones").record(measure.phones)
        Gauge(label: "sightscreen_fanout_lag_seconds").record(Double(measure.lag(at: now)) / 1e9)
        let stuck = measure.backlogs.values.map { $0.stuck(at: now) }.max() ?? 0
        Gauge(label: "sightscreen_fanout_stuck_seconds").record(Double(stuck) / 1e9)
        Gauge(label: "sightscreen_matches_refused").record(measure.refusedMatches.count)
        outages.note(measure, at: now, logger, readiness)
        let leftOut = measure.leftOut
        for (why, phones) in [
            ("held", leftOut.held), ("backing_off", leftOut.backingOff), ("infrequent", leftOut.infrequent),
            ("new", leftOut.new),
        ] {
            Gauge(label: "sightscreen_phones_left_out", dimensions: [("why", why)]).record(phones)
        }
        for level in AlertLevel.allCases {
            let channels = measure.channels[AudienceClass(level)] ?? FanOutMeasure.Channels()
            let dimensions = [("class", level.rawValue)]
            Gauge(label: "sightscreen_channels", dimensions: dimensions).record(channels.open)
            Gauge(label: "sightscreen_channels_resting", dimensions: dimensions).record(channels.resting)
            Gauge(label: "sightscreen_channel_lag_seconds", dimensions: dimensions)
                .record(Double(measure.lag(of: AudienceClass(level), at: now)) / 1e9)
        }
        for environment in APNsEnvironment.allCases {
            let pool = measure.pools[environment] ?? FanOutMeasure.Pool()
            let dimensions = [("environment", environment.rawValue)]
            Gauge(label: "sightscreen_apns_connections", dimensions: dimensions).record(pool.connections)
            Gauge(label: "sightscreen_pushes_in_flight", dimensions: dimensions).record(pool.inFlight)
            if pool.accountsRefused > 0, proofs[environment] == nil {
                proofs[environment] = try? await store.hasProofs(in: environment)
            }
            // Where tokens were accepted before, the topic is right, and bad ones are their accounts' alone.
            Gauge(label: "sightscreen_apns_accounts_refused", dimensions: dimensions)
                .record(proofs[environment] == false ? pool.accountsRefused : 0)
        }
        if let age = await tokens.age { Gauge(label: "sightscreen_apns_token_age_seconds").record(age / .seconds(1)) }
    }

    /// Counters start at 0, so that an alert on their growth sees the first event, too.
    static func beginCounters() {
        for kind in PushKind.allCases {
            for outcome in PushOutcome.allCases { count(PushCount(kind: kind, outcome: outcome), 0) }
        }
        for cause in ["pace", "rest"] { delayed(cause, 0) }
    }

    /// Adds what the loops did since the last call to the counters, and notes how most pushes went.
    static func count(_ fanOut: FanOutLoops, _ calls: LastCalls) async {
        var counts = FanOutCounts()
        for part in await fanOut.onEach({ $0.takeCounts() }) { counts.add(part) }
        for (push, number) in counts.pushes { count(push, number) }
        if let most = counts.pushes.filter({ $0.value > 0 }).max(by: { $0.value < $1.value }) {
            calls.record(.apns, most.key.outcome.rawValue)
        }
        for (failure, count) in counts.failures {
            Counter(label: "sightscreen_push_failures_total", dimensions: [("reason", failure.name)])
                .increment(by: Int64(count))
        }
        if counts.repetitions > 0 {
            Counter(label: "sightscreen_pushes_retried_total").increment(by: Int64(counts.repetitions))
        }
        for (environment, count) in counts.stopped {
            Gauge(label: "sightscreen_apns_stopped", dimensions: [("environment", environment.rawValue)])
                .record(count)
        }
        delayed("pace", counts.paced)
        delayed("rest", counts.rested)
        if counts.held > 0 { Counter(label: "sightscreen_pushes_held_total").increment(by: Int64(counts.held)) }
    }

    private static func count(_ push: PushCount, _ number: Int) {
        Counter(
            label: "sightscreen_pushes_total",
            dimensions: [("kind", push.kind.rawValue), ("outcome", push.outcome.rawValue)]
        ).increment(by: Int64(number))
    }

    private static func delayed(_ cause: String, _ number: Int) {
        Counter(label: "sightscreen_publishes_delayed_total", dimensions: [("cause", cause)])
            .increment(by: Int64(number))
    }
}
