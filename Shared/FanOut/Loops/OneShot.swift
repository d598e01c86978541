package import APNsProtocol
package import HTTP2
import Reactor
package import SightscreenModels

/// A push that is sent once, and whose sender waits for its outcome: a start, an end, or a push to an app.
package struct OneShot: Sendable {
    package var kind: PushKind
    package var path: String
    package var headers: APNsHeaders
    package var body: HTTP2SharedBody
    /// The token that the push goes to; nil for a channel.
    package var target: PushTarget?
    package var gate: PushGate
    /// The level of the hold that stops the push.
    package var level: HoldLevel
    /// The token and its account, if the loop is to judge it when APNs refuses it: that of an end. The senders of starts
    /// and of pushes to apps judge theirs themselves.
    package var ended: EndedToken?

    /// - Parameters:
    ///   - target: the token that the push goes to; nil for a channel.
    ///   - level: the level of the hold that stops the push.
    ///   - ended: the token, if the loop is to judge it when APNs refuses it.
    package init(
        kind: PushKind, path: String, headers: APNsHeaders, body: HTTP2SharedBody, target: PushTarget?, gate: PushGate,
        level: HoldLevel = .pushes, ended: EndedToken? = nil
    ) {
        self.kind = kind
        self.path = path
        self.headers = headers
        self.body = body
        self.target = target
        self.gate = gate
        self.level = level
        self.ended = ended
    }
}

/// An update token that an end goes to, and the account that registered it, against which it counts if it is bad.
package struct EndedToken: Sendable, Hashable {
    package var user: UserID
    package var token: UpdateToken

    package init(user: UserID, token: UpdateToken) {
        self.user = user
        self.token = token
    }
}

/// The one-shots of a loop to one host: those that wait for room on a connection, and those in flight. Their tags are
/// negative, so that none is mistaken for an update's.
struct OneShots {
    struct Entry {
        var push: OneShot
        /// The time, by `MonotonicTime`, after which the push counts as never sent.
        var deadline: Int64
        /// The push may be sent once more, when its connection closed before it was processed or another provider token
        /// has to be shown.
        var mayRepeat = true
        /// The serial of the provider token that the push shows.
        var serial = 0
        var finish: @Sendable (PushResult) -> Void
    }

    private var waiting = FIFO<Entry>()
    private var inFlight: [Int: Entry] = [:]
    private var number = 0

    var isEmpty: Bool { waiting.isEmpty }
    var next: Entry? { waiting.first }

    mutating func add(_ entry: Entry) { waiting.append(entry) }

    /// Removes the next one without sending it.
    mutating func drop() -> Entry? { waiting.popFirst() }

    /// Moves those to proven tokens and to channels to the front.
    /// - Returns: whether there is one.
    mutating func bringProvenForward() -> Bool {
        let proven = waiting.removeAll { $0.push.target?.isProven ?? true }
        for entry in proven + waiting.removeAll(where: { _ in true }) { waiting.append(entry) }
        return !proven.isEmpty
    }

    /// The tag for the next one.
    var nextTag: Int { -(number + 1) }

    /// Moves the next one to those in flight: it has left with `nextTag` and shows the provider token with this serial.
    mutating func sent(serial: Int) {
        guard var entry = waiting.popFirst() else { return }
        entry.serial = serial
        inFlight[nextTag] = entry
        number += 1
    }

    /// Removes the one with this tag, because it is answered or never will be.
    mutating func remove(_ tag: Int) -> Entry? { inFlight.removeValue(forKey: tag) }

    /// Removes and returns the next one if its deadline has passed.
    mutating func late(_ now: Int64) -> Entry? {
        guard let entry = waiting.first, entry.deadline <= now else { return nil }
        return waiting.popFirst()
    }
}
