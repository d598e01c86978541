#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import Detection
import SightscreenModels
import Tapes

/// Writes the steps of a replay as lines of JSON, as `sightscreen replay` prints them.
public struct ReplayPrinter: Sendable {
    /// Whether to print `{"innings":1,"ball":"15.5","event":"hatTrick",…}` for each event.
    public var events: Bool
    /// Whether to print `{"frame":12,"innings":1,"ball":"1.6","state":{…}}` after each frame.
    public var states: Bool
    /// Whether to print `{"frame":12,"innings":1,"ball":"1.6","alert":{…}}` for each alert.
    public var alerts: Bool

    package init(events: Bool = false, states: Bool = false, alerts: Bool = false) {
        self.events = events
        self.states = states
        self.alerts = alerts
    }

    /// The lines of one step, without line feeds. A frame that could not be read has none.
    ///
    /// - Throws: the errors of `JSONEncoder`, which this content does not cause.
    public func lines(of step: ReplayStep) throws -> [String] {
        var lines = events ? step.lines.map(\.json) : []
        if alerts {
            for alert in step.changes.compactMap(\.alert) { lines.append(try line(of: step, "alert", alert)) }
        }
        if states, let state = step.state, step.problem == nil {
            lines.append(try line(of: step, "state", state))
        }
        return lines
    }

    private func line(of step: ReplayStep, _ key: String, _ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let bytes = [UInt8](try encoder.encode(value))
        var json = JSONBytes()
        json.object {
            $0.field("frame", step.frame)
            if let innings = step.innings { $0.field("innings", innings) }
            if let ball = step.ball { $0.field("ball", ball) }
            $0.field(key, raw: bytes)
        }
        return String(decoding: json.bytes, as: UTF8.self)
    }
}
