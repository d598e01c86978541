package import APNsProtocol
package import HTTP2
import Reactor
package import SightscreenModels

/// A push that is sent once and whose sender waits for what becomes of it: a start, an end, or one to an app.
package struct OneShot: Sendable {
    package var kind: PushKind
    package var path: String
    package var headers: APNsHeaders
    package var body: HTTP2SharedBody
    package var gate: PushGate
    /// The hold of the operator that keeps it from leaving.
    package var level: HoldLevel

    /// - Parameter level: the hold of the operator that keeps it from leaving.
    package init(
        kind: PushKind, path: String, headers: APNsHeaders, body: HTTP2SharedBody, gate: PushGate,
        level: HoldLevel = .pushes
    ) {
        self.kind = kind
        self.path = path
        self.headers = headers
        self.body = body
        self.gate = gate
        self.level = level
    }
}

/// The one-shots of a loop to one host: those that wait for room on a connection, and those that are under way. Their tags
/// are negative, so that none is taken for an update's.
struct OneShots {
    struct Entry {
        var push: OneShot
        /// By `MonotonicTime`: later it counts as never sent.
        var deadline: Int64
        /// It goes out once more when a connection took it along, or another provider token is to be shown.
        var mayRepeat = true
        /// Of the provider token that it shows.
        var serial = 0
        var finish: @Sendable (PushResult) -> Void
    }

    private var waiting = FIFO<Entry>()
    private var underWay: [Int: Entry] = [:]
    private var number = 0

    var isEmpty: Bool { waiting.isEmpty }
    var next: Entry? { waiting.first }

    mutating func add(_ entry: Entry) { waiting.append(entry) }

    /// The next one does not go: it is over.
    mutating func drop() -> Entry? { waiting.popFirst() }

    /// The tag that the next one goes with.
    var nextTag: Int { -(number + 1) }

    /// The next one has left with `nextTag`, and shows the provider token with this serial.
    mutating func sent(serial: Int) {
        guard var entry = waiting.popFirst() else { return }
        entry.serial = serial
        underWay[nextTag] = entry
        number += 1
    }

    /// There is an answer, or there will be none.
    mutating func take(_ tag: Int) -> Entry? { underWay.removeValue(forKey: tag) }

    /// One that has waited for too long.
    mutating func late(_ now: Int64) -> Entry? {
        guard let entry = waiting.first, entry.deadline <= now else { return nil }
        return waiting.popFirst()
    }
}
