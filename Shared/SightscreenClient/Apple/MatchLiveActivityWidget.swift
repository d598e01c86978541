// Compiled against stubs of Apple's frameworks only (deploy/apple-check).
#if canImport(WidgetKit) && canImport(ActivityKit) && os(iOS)
    import ActivityKit
    import APNsProtocol
    import Foundation
    import Sightscreen
    public import SwiftUI
    import UIKit
    import WidgetKit

    /// The six presentations, for the widget extension. A start to lay out from: it has a place for every text of
    /// `MatchPresentations.texts(of:)`, and formats none.
    ///
    /// Compiled against stubs only.
    public struct MatchLiveActivityWidget: Widget {
        private let images: WidgetImages?

        /// Without logos.
        public init() { images = nil }

        /// - Parameter images: of the folder that app and widget share; nil when there is none.
        public init(images: WidgetImages?) { self.images = images }

        public var body: some WidgetConfiguration {
            let images = images
            return ActivityConfiguration(for: LiveActivityAttributes.self) { context in
                MatchLockScreen(match: context.presentations, images: images)
            } dynamicIsland: { context in
                let match = context.presentations
                return DynamicIsland {
                    DynamicIslandExpandedRegion(.leading) {
                        TeamScore(score: match.compactLeading, logo: match.logo(images))
                    }
                    DynamicIslandExpandedRegion(.trailing) { MatchRate(rate: match.compactTrailing) }
                    DynamicIslandExpandedRegion(.center) { MatchTitle(expanded: match.expanded) }
                    DynamicIslandExpandedRegion(.bottom) { MatchDetail(expanded: match.expanded) }
                } compactLeading: {
                    TeamScore(score: match.compactLeading, logo: match.logo(images))
                } compactTrailing: {
                    MatchRate(rate: match.compactTrailing)
                } minimal: {
                    VStack {
                        Text(match.minimal.teamAbbr)
                        Text(match.minimal.score)
                    }
                    .font(.caption2)
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

    extension MatchPresentations {
        /// The batting side's, if the app has it.
        fileprivate func logo(_ images: WidgetImages?) -> UIImage? {
            images?.logo(of: compactLeading.teamAbbr, in: attributes).flatMap { UIImage(data: Data($0.bytes)) }
        }
    }

    private struct MatchLockScreen: View {
        @Environment(\.activityFamily) private var family
        let match: MatchPresentations
        let images: WidgetImages?

        var body: some View {
            switch family {
            case .small:
                VStack(alignment: .leading) {
                    TeamScore(score: match.small.score, logo: match.logo(images))
                    Text(match.small.rate.overs)
                    if let line = match.small.line { Text(line) }
                }
            default:
                VStack(alignment: .leading) {
                    HStack {
                        MatchLogo(logo: match.logo(images))
                        MatchTitle(expanded: match.lockScreen)
                    }
                    MatchDetail(expanded: match.lockScreen)
                }
                .opacity(match.isStale ? 0.5 : 1)
                .padding()
            }
        }
    }

    private struct MatchLogo: View {
        let logo: UIImage?

        var body: some View {
            if let logo { Image(uiImage: logo).resizable().scaledToFit().frame(width: 20, height: 20) }
        }
    }

    private struct TeamScore: View {
        let score: Sightscreen.ContentState.CompactLeading
        let logo: UIImage?

        var body: some View {
            HStack {
                MatchLogo(logo: logo)
                Text("\(score.teamAbbr) \(score.score)").monospacedDigit()
            }
        }
    }

    private struct MatchRate: View {
        let rate: Sightscreen.ContentState.CompactTrailing

        var body: some View {
            VStack(alignment: .trailing) {
                Text(rate.overs)
                Text(rate.runRate)
            }
            .font(.caption2)
            .monospacedDigit()
        }
    }

    private struct MatchTitle: View {
        let expanded: Sightscreen.ContentState.Expanded

        var body: some View {
            VStack(alignment: .leading) {
                Text(expanded.title).font(.headline)
                Text(expanded.subtitle).font(.caption)
            }
        }
    }

    private struct MatchDetail: View {
        let expanded: Sightscreen.ContentState.Expanded

        var body: some View {
            VStack(alignment: .leading) {
                ForEach(Array(expanded.innings.enumerated()), id: \.offset) { _, innings in
                    Text("\(innings.teamAbbr) \(innings.score) (\(innings.overs))")
                }
                ForEach(Array(expanded.batters.enumerated()), id: \.offset) { _, batter in
                    Text("\(batter.name)\(batter.onStrike ? "*" : "") \(batter.score) \(batter.strikeRate)")
                }
                if let bowler = expanded.bowler { Text("\(bowler.name) \(bowler.figures) \(bowler.economy)") }
                Text(expanded.recentBalls.joined(separator: " "))
                chase
                if let event = expanded.lastEvent { Text(event.text) }
                if let status = expanded.status { Text(status) }
            }
            .accessibilityElement(children: .ignore)
            .accessibilityLabel(expanded.spoken ?? expanded.title)
        }

        /// What is wanted, in the second innings.
        @ViewBuilder private var chase: some View {
            HStack {
                if let target = expanded.target { Text(target) }
                if let rate = expanded.requiredRunRate { Text(rate) }
            }
            if let equation = expanded.equation { Text(equation) }
        }
    }
#endif
