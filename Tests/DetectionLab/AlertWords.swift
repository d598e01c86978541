import Cricket
import Detection
import FoundationEssentials
import Replay
import SightscreenModels
import Tapes

/// Every alert of one match, by the steps of its replay, and which of them are not as they should be.
struct AlertWords: Sendable {
    /// What a Lock Screen and a Watch show of a title, in characters.
    static let titleMax = 34
    /// A longer time without a frame is a break and not play, in seconds.
    private static let breakMin = 600

    struct Counts: Sendable {
        var alerts = 0
        /// Those that followers of `alerts: key` hear.
        var key = 0
        var withSound = 0
        /// Seconds.
        var played = 0
        var longestTitle = 0

        var perHour: Double { Double(alerts) / max(Double(played) / 3_600, 0.001) }
        var keyShare: Double { Double(key) * 100 / max(Double(alerts), 1) }

        var json: String {
            """
            "alerts":\(alerts),"perHour":\(Decimals.text(perHour)),"key":\(key),\
            "keyShare":\(Decimals.text(keyShare)),"withSound":\(withSound),"longestTitle":\(longestTitle)
            """
        }

        static func += (left: inout Counts, right: Counts) {
            left.alerts += right.alerts
            left.key += right.key
            left.withSound += right.withSound
            left.played += right.played
            left.longestTitle = max(left.longestTitle, right.longestTitle)
        }
    }

    private(set) var counts = Counts()
    /// What breaks a rule, one line each.
    private(set) var faults: [String] = []
    /// Each alert as a person reads it, with its place in the match.
    private(set) var readable: [String] = []
    private var codes: [String] = []

    init(_ tape: Tape) {
        counts.played = zip(tape.frames, tape.frames.dropFirst()).reduce(0) {
            let gap = $1.1.offset - $1.0.offset
            return $0 + ($1.0.offset >= 0 && gap < Self.breakMin ? gap : 0)
        }
    }

    var line: String {
        "\(counts.alerts) alerts, \(Decimals.text(counts.perHour)) an hour, \(Decimals.text(counts.keyShare)) % of them key"
    }

    mutating func take(_ step: ReplayStep) {
        if let snapshot = step.snapshot { codes = [snapshot.home.code, snapshot.away.code] }
        if let state = step.state, Self.hasTen(Self.json(state)) {
            faults.append("frame \(step.frame) (\(step.label)): the state has \"/10\"")
        }
        for change in step.changes {
            for event in change.events where Self.hasTen(event.text) { faults.append("\"/10\" in \"\(event.text)\"") }
            guard let alert = change.alert else { continue }
            note(alert, at: step.label)
        }
    }

    private mutating func note(_ alert: MatchAlert, at label: String) {
        counts.alerts += 1
        if alert.isKey { counts.key += 1 }
        if alert.sound { counts.withSound += 1 }
        counts.longestTitle = max(counts.longestTitle, alert.title.count)
        let marks = "\(alert.sound ? "♪" : " ")\(alert.isKey ? "K" : " ")"
        readable.append("\(label)\t\(marks) \(alert.title)\t\(alert.body)")
        if alert.title.count > Self.titleMax { faults.append("\(alert.title.count) characters: \"\(alert.title)\"") }
        if alert.title.contains("…") { faults.append("a title that is cut: \"\(alert.title)\"") }
        if !codes.contains(where: { alert.title.contains($0) }) { faults.append("no side in \"\(alert.title)\"") }
        if Self.hasTen(alert.title) || Self.hasTen(alert.body) {
            faults.append("\"/10\" in \"\(alert.title)\" or \"\(alert.body)\"")
        }
    }

    /// A side that is all out is never "171/10".
    private static func hasTen(_ text: String) -> Bool {
        text.ranges(of: "/10").contains { $0.upperBound == text.endIndex || !text[$0.upperBound].isNumber }
    }

    private static func json(_ state: ContentState) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return (try? encoder.encode(state)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}
