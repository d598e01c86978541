// Compiled against stubs of Apple's frameworks only (deploy/apple-check).
#if canImport(WidgetKit) && canImport(ActivityKit) && os(iOS) && DEBUG
    import ActivityKit
    import Foundation
    import SightscreenModels
    import SwiftUI
    import WidgetKit

    #Preview("Lock Screen", as: .content, using: PreviewCards.attributes) {
        MatchLiveActivityWidget()
    } contentStates: {
        for state in PreviewCards.states { state }
    }

    #Preview("Compact", as: .dynamicIsland(.compact), using: PreviewCards.attributes) {
        MatchLiveActivityWidget()
    } contentStates: {
        for state in PreviewCards.states { state }
    }

    #Preview("Minimal", as: .dynamicIsland(.minimal), using: PreviewCards.attributes) {
        MatchLiveActivityWidget()
    } contentStates: {
        for state in PreviewCards.states { state }
    }

    #Preview("Expanded", as: .dynamicIsland(.expanded), using: PreviewCards.attributes) {
        MatchLiveActivityWidget()
    } contentStates: {
        for state in PreviewCards.states { state }
    }

    // Xcode previews neither of these by itself, nor content that is out of date.

    #Preview("Watch and CarPlay") { PreviewCards(presentation: .small, appearance: .dark) }

    #Preview("StandBy") { PreviewCards(presentation: .standBy, appearance: .island) }

    #Preview("Out of date") { PreviewCards(presentation: .lockScreen, appearance: .light, isStale: true) }

    /// A match at several moments, in one presentation.
    private struct PreviewCards: View {
        let presentation: Presentation
        let appearance: CardAppearance
        var isStale = false

        var body: some View {
            VStack(spacing: 10) {
                ForEach(Self.states, id: \.self) { state in
                    let card = MatchCard(state: state, attributes: Self.attributes, isStale: isStale)
                    let layout = card.layout(presentation)
                    CardFace(card: card, presentation: presentation, appearance: appearance)
                        .frame(width: layout.width, height: layout.height)
                        .background(
                            CardPalette.colour(.background, appearance).colour, in: RoundedRectangle(cornerRadius: 20))
                }
            }
        }

        private static let match = SampleMatches.live(now: 1_800_000_000)

        static let attributes = LiveActivityAttributes(match, followedTeamID: match.home.id)

        /// In play, between two innings, in rain, and at the end.
        static let states = [
            live,
            changed { state in
                state.matchDisplayState = .inningsBreak
                state.compactLeading = .init(teamAbbr: "CSK", score: "171/6")
                state.expanded.innings = [.init(teamAbbr: "CSK", score: "171/6", overs: "20.0")]
                state.expanded.batters = []
                state.expanded.bowler = nil
                state.expanded.recentBalls = []
                state.expanded.requiredRunRate = nil
                state.expanded.equation = "MI need 172 off 120"
                state.expanded.status = "Innings break"
            },
            changed { state in
                state.matchDisplayState = .suspended
                state.expanded.status = "Rain stopped play"
            },
            changed { state in
                state.matchDisplayState = .completed
                state.expanded.batters = []
                state.expanded.bowler = nil
                state.expanded.equation = nil
                state.expanded.outcome = .init(winnerAbbr: "CSK", text: "won by 7 runs")
                state.expanded.status = "CSK won by 7 runs"
            },
        ]

        private static let live = match.displayState ?? ContentState(before: match)

        private static func changed(_ change: (inout ContentState) -> Void) -> ContentState {
            var state = live
            change(&state)
            return state
        }
    }
#endif
