import Detection
import SightscreenModels
#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import Messages
import Store

/// Turns a change into the form in which it is stored and sent.
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
            contentState: try json(state), events: try json(change.events), retracted: try json(change.withdrawn),
            overtaken: try json(change.overtaken), alert: try alert(of: change).map { try json($0) },
            priority: change.priority, relevance: change.relevance,
            machine: try json(machine), atStumps: change.atStumps, isSuspended: change.isSuspended,
            isLive: change.hasBegun && !change.isSilent
                && (shown == .live || shown == .suspended || shown == .inningsBreak),
            isSettled: change.isSettled, phase: change.phase, isBreak: change.isBreak, hasMoved: change.hasMoved,
            isSilent: change.isSilent, isByTime: isByTime,
            traceparent: traceparent)
    }

    static func update(
        _ change: MatchChange, of match: MatchID, as committed: CommittedMatch, traceparent: String
    ) -> MatchUpdate {
        var state = change.contentState
        state.version = committed.version.rawValue
        return MatchUpdate(
            matchID: match, version: committed.version, stamp: committed.stamp, contentState: state,
            priority: change.priority, alert: alert(of: change), relevance: change.relevance, phase: change.phase,
            isBreak: change.isBreak, retracted: change.withdrawn.isEmpty ? nil : change.withdrawn,
            overtaken: change.overtaken.isEmpty ? nil : change.overtaken,
            committedAtMs: committed.committedAtMs, traceparent: traceparent)
    }

    /// The alert with the events that it announces, the one of its title first, and their words. Coordinators drop the
    /// alert when a later version retracts that event, and compose it again for a later state.
    private static func alert(of change: MatchChange) -> MatchAlert? {
        guard var alert = change.alert else { return nil }
        alert.eventKeys = change.announced.map(\.key)
        alert.news = change.news
        return alert
    }

    /// The stored machine; nil when the text is damaged or of another release, and the match then starts afresh.
    static func machine(from text: String) -> MatchMachine? {
        try? BoundedJSON.decode(MatchMachine.self, from: Data(text.utf8))
    }

    private static func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
