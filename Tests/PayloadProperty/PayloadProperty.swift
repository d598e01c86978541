public import APNsProtocol
import SightscreenModels

/// Whatever a state says, its payload fits, decodes, is never cut inside a character, is cut in the stated order and
/// only when it is too long: checked on random states, each as a start, a routine update, an update with an alert and
/// an end.
public enum PayloadProperty {
    /// What a run has seen.
    public struct Report: Sendable {
        public var states = 0
        public var payloads = 0
        public var largestBytes = 0
        /// How many payloads each cut shortened: a run that cuts nothing shows nothing.
        public var cuts: [PayloadCut: Int] = [:]
        public var uncut = 0
        /// The first few, with the seed of the state.
        public var faults: [String] = []
    }

    static let faultsMax = 20

    /// Checks `count` states; the same `seed` makes the same ones, and the state of a fault is `run(count: 1, seed:)`
    /// of the seed in its text.
    public static func run(count: Int, seed: UInt64) -> Report {
        var report = Report()
        for number in 0..<count where report.faults.count < faultsMax {
            let own = seed &+ UInt64(number)
            var maker = RandomPush(seed: own)
            report.states += 1
            for payload in maker.next() { check(payload, seed: own, in: &report) }
        }
        return report
    }

    private static func check(_ payload: LiveActivityPayload, seed: UInt64, in report: inout Report) {
        report.payloads += 1
        do {
            let push = try payload.encode()
            report.largestBytes = max(report.largestBytes, push.bytes.count)
            for cut in push.cuts { report.cuts[cut, default: 0] += 1 }
            if push.cuts.isEmpty { report.uncut += 1 }
            let kind = payload.isRoutine ? "routine update" : payload.event.rawValue
            report.faults += PayloadCheck(payload, push).faults.map {
                "seed \(seed), \(kind) of \(push.bytes.count) bytes after \(push.cuts): \($0)"
            }
        } catch {
            report.faults.append("seed \(seed), \(payload.event.rawValue): \(error)")
        }
    }
}
