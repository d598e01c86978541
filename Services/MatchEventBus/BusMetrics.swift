import Detection
import Messages
import Metrics
import SightscreenModels

/// The metrics of event-bus: versions, the age of the frames behind them, and events by kind.
struct BusMetrics: Sendable {
    private let frameAge = Timer(label: "sightscreen_frame_age_seconds")

    private let frameSilence = Gauge(label: "sightscreen_match_frame_age_seconds")
    private let versionSilence = Gauge(label: "sightscreen_match_version_age_seconds")

    /// Makes the counter that an alert looks at begin at 0.
    func begin() { Counter(label: "sightscreen_matches_silent_total").increment(by: 0) }

    /// Records the longest silence among the matches held here that await frames; zero without one.
    func silence(frames: Duration, versions: Duration) {
        frameSilence.record(frames / .seconds(1))
        versionSilence.record(versions / .seconds(1))
    }

    func answered(_ outcome: FrameReply.Outcome) {
        Counter(label: "sightscreen_frames_total", dimensions: [("outcome", outcome.rawValue)]).increment()
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
