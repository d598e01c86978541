import APNsProtocol
import Detection
import FoundationEssentials
import Replay
import SightscreenModels
import Tapes

/// What the pushes of one match weigh, by the steps of its replay, and whether the card of a chase says what happened last.
struct CardSizes: Sendable {
    /// What a version of a chase has to say, in percent of them: `lastEvent` or `lastWicket`.
    static let toldMin = 95.0

    struct Counts: Sendable {
        /// Bytes of each update without an alert, as it is sent.
        var routine: [Int] = []
        var chaseVersions = 0
        /// Those with `lastEvent` or `lastWicket`, after the cuts.
        var chaseTold = 0

        var median: Int { routine.isEmpty ? 0 : routine.sorted()[routine.count / 2] }
        var toldShare: Double { chaseVersions == 0 ? 100 : Double(chaseTold) * 100 / Double(chaseVersions) }
        var isMet: Bool {
            median <= PushPayload.routineBytesAim && toldShare > CardSizes.toldMin && !routine.isEmpty
        }

        var json: String {
            """
            "routine":\(routine.count),"medianRoutineBytes":\(median),"largestRoutineBytes":\(routine.max() ?? 0),\
            "chaseVersions":\(chaseVersions),"chaseTold":\(Decimals.text(toldShare))
            """
        }

        static func += (left: inout Counts, right: Counts) {
            left.routine += right.routine
            left.chaseVersions += right.chaseVersions
            left.chaseTold += right.chaseTold
        }
    }

    private(set) var counts = Counts()
    /// What breaks a rule, one line each.
    var faults: [String] { refused + (counts.isMet ? [] : [line]) }
    private var refused: [String] = []
    /// Each state as it is stored, before any cut.
    private(set) var readable: [String] = []
    private var version = 0

    mutating func take(_ step: ReplayStep) { for change in step.changes { take(change, step) } }

    var line: String {
        "routine updates of \(counts.median) bytes; \(Decimals.text(counts.toldShare)) % of \(counts.chaseVersions) chase "
            + "versions say what happened"
    }

    private mutating func take(_ change: MatchChange, _ step: ReplayStep) {
        version += 1
        var state = change.contentState
        state.version = version
        readable.append(Self.json(state))
        let stamp = Stamp(TapeReplay.startsAt + version)
        let payload = LiveActivityPayload.update(
            stamp: stamp, contentState: state, staleAt: stamp.rawValue + 600, relevance: change.relevance,
            alert: change.alert.map { PushAlert($0) })
        do throws(PayloadError) {
            let push = try payload.encode()
            if payload.isRoutine { counts.routine.append(push.bytes.count) }
            guard state.expanded.target != nil, [.live, .suspended].contains(state.matchDisplayState) else { return }
            counts.chaseVersions += 1
            let tells = state.expanded.lastEvent != nil || state.expanded.lastWicket != nil
            if tells, push.cuts.allSatisfy({ $0.servesAim }) { counts.chaseTold += 1 }
        } catch {
            refused.append("frame \(step.frame) (\(step.label)): \(error)")
        }
    }

    private static func json(_ state: ContentState) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(state)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}
