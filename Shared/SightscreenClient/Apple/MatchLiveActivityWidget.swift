// Compiled against stubs of Apple's frameworks only (deploy/apple-check).
#if canImport(WidgetKit) && canImport(ActivityKit) && os(iOS)
    import ActivityKit
    import APNsProtocol
    import Sightscreen
    public import SwiftUI
    import WidgetKit

    /// The six presentations, for the widget extension. A start to lay out from: it shows every text that
    /// `MatchPresentations` has, and formats none.
    ///
    /// Compiled against stubs only.
    public struct MatchLiveActivityWidget: Widget {
        public init() {}

        public var body: some WidgetConfiguration {
            ActivityConfiguration(for: LiveActivityAttributes.self) { context in
                MatchLockScreen(match: context.presentations)
            } dynamicIsland: { context in
                let match = context.presentations
                return DynamicIsland {
                    DynamicIslandExpandedRegion(.leading) { TeamScore(score: match.compactLeading) }
                    DynamicIslandExpandedRegion(.trailing) { Text(match.compactTrailing.overs) }
                    DynamicIslandExpandedRegion(.bottom) { MatchDetail(expanded: match.expanded) }
                } compactLeading: {
                    TeamScore(score: match.compactLeading)
                } compactTrailing: {
                    Text(match.compactTrailing.overs)
                } minimal: {
                    Text(match.minimal.score)
                }
            }
            .supplementalActivityFamilies([.small])
        }
    }

    extension ActivityViewContext where Attributes == LiveActivityAttributes {
        fileprivate var presentations: MatchPresentations {
            MatchPresentations(state: state, attributes: attributes, isStale: isStale)
        }
    }

    private struct MatchLockScreen: View {
        @Environment(\.activityFamily) private var family
        let match: MatchPresentations

        var body: some View {
            switch family {
            case .small:
                VStack(alignment: .leading) {
                    TeamScore(score: match.small.score)
                    Text(match.small.line ?? match.small.rate.overs)
                }
            default:
                VStack(alignment: .leading) {
                    Text(match.lockScreen.title).font(.headline)
                    ForEach(Array(match.lockScreen.innings.enumerated()), id: \.offset) { _, innings in
                        Text("\(innings.teamAbbr) \(innings.score) (\(innings.overs))")
                    }
                    MatchDetail(expanded: match.lockScreen)
                }
                .opacity(match.isStale ? 0.5 : 1)
                .padding()
            }
        }
    }

    private struct TeamScore: View {
        let score: Sightscreen.ContentState.CompactLeading

        var body: some View { Text("\(score.teamAbbr) \(score.score)").monospacedDigit() }
    }

    private struct MatchDetail: View {
        let expanded: Sightscreen.ContentState.Expanded

        var body: some View {
            VStack(alignment: .leading) {
                ForEach(Array(expanded.batters.enumerated()), id: \.offset) { _, batter in
                    Text("\(batter.name)\(batter.onStrike ? "*" : "") \(batter.score)")
                }
                if let bowler = expanded.bowler { Text("\(bowler.name) \(bowler.figures)") }
                Text(expanded.recentBalls.joined(separator: " "))
                if let equation = expanded.equation { Text(equation) }
                if let line = expanded.status ?? expanded.lastEvent?.text { Text(line) }
            }
            .accessibilityLabel(expanded.spoken ?? expanded.title)
        }
    }
#endif
