import Sightscreen

/// Which of several events is the key one: the title of the alert and the `lastEvent` of the state.
enum KeyEventOrder {
    /// Lower is more important; nil for an event that is never shown as the last one (a dot, the end of an over).
    static func rank(_ event: MatchEvent) -> Int? {
        switch event.kind {
        case .matchResult: 0
        case .inningsBreak: 1
        case .hatTrick: 2
        case .milestone: (event.value ?? 50) >= 100 ? 3 : 6
        case .onHatTrick: 4
        case .wicket: 5
        case .bowlerOnFire: 7
        case .batterOnFire: 8
        case .maidenOver: 9
        case .nineties: 10
        case .consecutiveSixes: 11
        case .six: 12
        case .four: 13
        case .newBatter: 14
        case .dot, .one, .two, .three, .extras, .endOfOver, .suspended, .resumed: nil
        }
    }

    /// Whether the event buzzes phones. A maiden does so in T20 and shorter only.
    static func alerts(_ event: MatchEvent, in format: MatchFormat) -> Bool {
        switch event.kind {
        case .wicket, .milestone, .inningsBreak, .matchResult, .onHatTrick, .hatTrick, .batterOnFire, .bowlerOnFire:
            true
        case .maidenOver: format == .twenty20
        default: false
        }
    }

    /// Most important first; of two alike the later one first.
    static func sorted(_ events: [MatchEvent]) -> [MatchEvent] {
        events.enumerated()
            .compactMap { index, event in rank(event).map { (rank: $0, index: index, event: event) } }
            .sorted { ($0.rank, -$0.index) < ($1.rank, -$1.index) }
            .map(\.event)
    }
}
