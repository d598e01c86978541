import Detection
#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import Messages
import Sightscreen
import Store

/// Puts a change into the form in which it is stored and sent.
enum VersionWriter {
    static func commit(
        _ change: MatchChange, machine: MatchMachine, after previous: MatchVersion, lease: Lease, isByTime: Bool,
        traceparent: String
    ) throws -> MatchCommit {
        var state = change.contentState
        state.version = previous.rawValue + 1
        let shown = change.displayState
        return MatchCommit(
            matchID: machine.matchID, lease: lease, previousVersion: previous, displayState: shown,
            contentState: try json(state), events: try json(change.events), retracted: try json(change.retracted),
            alert: try change.alert.map { try json($0) }, priority: change.priority, relevance: change.relevance,
            machine: try json(machine), atStumps: change.atStumps, isSuspended: change.isSuspended,
            isLive: change.hasBegun && (shown == .live || shown == .suspended || shown == .inningsBreak),
            isSettled: change.isSettled, isByTime: isByTime, traceparent: traceparent)
    }

    static func update(
        _ change: MatchChange, of match: MatchID, as committed: CommittedMatch, traceparent: String
    ) -> MatchUpdate {
        var state = change.contentState
        state.version = committed.version.rawValue
        return MatchUpdate(
            matchID: match, version: committed.version, stamp: committed.stamp, contentState: state,
            priority: change.priority, alert: change.alert, relevance: change.relevance,
            committedAtMs: committed.committedAtMs, traceparent: traceparent)
    }

    /// Nil when the text is of another release or damaged; the match is then followed afresh.
    static func machine(from text: String) -> MatchMachine? {
        try? JSONDecoder().decode(MatchMachine.self, from: Data(text.utf8))
    }

    private static func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
