import Detection
import Messages
import Metrics
import SightscreenModels

/// The metrics of event-bus: versions, the age of the frames behind them, and events by kind.
struct BusMetrics: Sendable {
    private let frameAge = Timer(label: "sightscreen_frame_age_seconds")

    private let frameSilence = Gauge(label: "sightscreen_match_frame_age_seconds")
    private let versionSilence = Gauge(label: "sightscreen_match_version_age_seconds")

    /// Counters start at 0, so that an alert on their growth sees the first event, too.
    func begin() {
        for outcome in FrameReply.Outcome.allCases { count(outcome, by: 0) }
        Counter(label: "sightscreen_matches_silent_total").increment(by: 0)
        Counter(label: "sightscreen_events_retracted_total").increment(by: 0)
    }

    /// Records the longest silence among the matches held here that await frames; zero without one.
    func silence(frames: Duration, versions: Duration) {
        frameSilence.record(frames / .seconds(1))
        versionSilence.record(versions / .seconds(1))
    }

    func answered(_ outcome: FrameReply.Outcome) { count(outcome, by: 1) }

    private func count(_ outcome: FrameReply.Outcome, by count: Int64) {
        Counter(label: "sightscreen_frames_total", dimensions: [("outcome", outcome.rawValue)]).increment(by: count)
    }

    /// - Parameter ageMs: the time from the provider's answer to the commit; nil for a version that no frame brought.
    func committed(_ change: MatchChange, ageMs: Int64?) {
        Counter(label: "sightscreen_versions_total", dimensions: [("priority", "\(change.priority)")]).increment()
        if change.isSilent { Counter(label: "sightscreen_matches_silent_total").increment() }
        if let ageMs { frameAge.recordMilliseconds(max(0, ageMs)) }
        for event in change.events {
            Counter(label: "sightscreen_events_total", dimensions: [("kind", event.kind.rawValue)]).increment()
        }
        if !change.retracted.isEmpty {
            Counter(label: "sightscreen_events_retracted_total").increment(by: change.retracted.count)
        }
    }
}
