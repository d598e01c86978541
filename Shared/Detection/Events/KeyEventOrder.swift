import Cricket
import SightscreenModels

/// The order that picks the key event of several: the title of the alert and the `lastEvent` of the state.
enum KeyEventOrder {
    /// The event's rank, lower for more important; nil for an event that is never the last one shown (a dot, the end of
    /// an over).
    static func rank(_ event: MatchEvent) -> Int? {
        switch event.kind {
        case .matchResult: 0
        case .inningsBreak: 1
        case .hatTrick: 2
        case .targetRevised: 3
        case .milestone: (event.value ?? 50) >= 100 ? 4 : 9
        case .fiveWickets: 5
        case .onHatTrick: 6
        case .wicket: 7
        case .closeFinish: 8
        case .bowlerOnFire: 10
        case .batterOnFire: 11
        case .stumps: 12
        case .toss: 13
        case .suspended, .resumed: 14
        case .maidenOver: 15
        case .nineties: 16
        case .consecutiveSixes: 17
        case .six: 18
        case .four: 19
        case .newBatter: 20
        // A correction has the rank of the event it corrects, which `AlertWords.rank` holds.
        case .dot, .one, .two, .three, .extras, .endOfOver, .correction: nil
        }
    }

    /// Whether the event has an alert. A maiden has one in T20 and shorter formats only.
    static func alerts(_ event: MatchEvent, in format: MatchFormat) -> Bool {
        switch event.kind {
        case .wicket, .milestone, .inningsBreak, .matchResult, .onHatTrick, .hatTrick, .batterOnFire, .bowlerOnFire,
            .fiveWickets, .closeFinish, .targetRevised, .toss, .stumps, .suspended, .resumed:
            true
        case .maidenOver: format == .twenty20
        case .dot, .one, .two, .three, .four, .six, .extras, .newBatter, .nineties, .consecutiveSixes, .endOfOver,
            .correction:
            false
        }
    }

    /// Whether the alert has a sound: a wicket, a hundred and each 50 more, a hat-trick, the result.
    static func sounds(_ event: MatchEvent) -> Bool {
        switch event.kind {
        case .wicket, .hatTrick, .matchResult: true
        case .milestone: (event.value ?? 50) >= 100
        default: false
        }
    }

    /// Whether the status alone shows the event. It has no time of its own, and two frames have to agree on it.
    static func isOfStatus(_ kind: EventKind) -> Bool {
        switch kind {
        case .toss, .targetRevised, .stumps, .suspended, .resumed: true
        default: false
        }
    }

    /// The events with the most important first; of two equally important ones the later comes first.
    static func sorted(_ events: [MatchEvent]) -> [MatchEvent] {
        events.enumerated()
            .compactMap { index, event in rank(event).map { (rank: $0, index: index, event: event) } }
            .sorted { ($0.rank, -$0.index) < ($1.rank, -$1.index) }
            .map(\.event)
    }
}
