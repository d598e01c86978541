// Compiled against stubs of Apple's frameworks only (deploy/apple-check).
#if canImport(WidgetKit) && canImport(ActivityKit) && os(iOS)
    import ActivityKit
    import Foundation
    import SightscreenModels
    public import SwiftUI
    import WidgetKit

    /// Draws every presentation of the card, for the widget extension. `MatchCard` has already laid it out: the texts,
    /// their length, their sizes and their colours come with the layout.
    public struct MatchLiveActivityWidget: Widget {
        public init() {}

        public var body: some WidgetConfiguration {
            ActivityConfiguration(for: LiveActivityAttributes.self) { context in
                MatchBanner(card: context.card)
            } dynamicIsland: { context in
                let card = context.card
                let expanded = card.layout(.expanded)
                let beside = expanded.rows.filter(\.isBesideCamera)
                return DynamicIsland {
                    DynamicIslandExpandedRegion(.leading) {
                        CardPieces(pieces: beside.first?.leading ?? [], isOnBaseline: false, appearance: .island)
                    }
                    DynamicIslandExpandedRegion(.trailing) {
                        CardPieces(pieces: beside.first?.trailing ?? [], isOnBaseline: false, appearance: .island)
                    }
                    DynamicIslandExpandedRegion(.bottom) {
                        VStack(alignment: .leading, spacing: 0) {
                            CardRows(rows: expanded.rows.filter { !$0.isBesideCamera }, appearance: .island)
                                .spoken(card.spoken)
                            CardButton(card: card, layout: expanded, appearance: .island)
                        }
                    }
                } compactLeading: {
                    CardRows(rows: card.layout(.compactLeading).rows, appearance: .island).spoken(card.spoken)
                } compactTrailing: {
                    CardRows(rows: card.layout(.compactTrailing).rows, appearance: .island)
                } minimal: {
                    CardRows(rows: card.layout(.minimal).rows, appearance: .island).spoken(card.spoken)
                }
                .keylineTint(CardPalette.colour(card.tint, .island).colour)
                .widgetURL(URL(string: card.link))
            }
            .supplementalActivityFamilies([.small])
        }
    }

    extension ActivityViewContext where Attributes == LiveActivityAttributes {
        fileprivate var card: MatchCard { MatchCard(state: state, attributes: attributes, isStale: isStale) }
    }

    extension CardColour {
        var colour: Color { Color(red: red, green: green, blue: blue) }
    }

    extension View {
        /// Replaces the many pieces by one sentence for VoiceOver.
        fileprivate func spoken(_ text: String) -> some View {
            accessibilityElement(children: .ignore).accessibilityLabel(text)
        }
    }

    /// The card on the Lock Screen, and in the places that show the Lock Screen's presentation.
    private struct MatchBanner: View {
        @Environment(\.activityFamily) private var family
        @Environment(\.isActivityFullscreen) private var isFullscreen
        @Environment(\.colorScheme) private var scheme
        @Environment(\.colorSchemeContrast) private var contrast
        @Environment(\.isLuminanceReduced) private var isLuminanceReduced
        let card: MatchCard

        var body: some View {
            // On an always-on screen, a light card would be the brightest thing in the room.
            let isDark = scheme == .dark || isLuminanceReduced
            let appearance: CardAppearance =
                isFullscreen ? .island : CardAppearance(isDark: isDark, isContrastIncreased: contrast == .increased)
            let presentation: Presentation = family == .small ? .small : isFullscreen ? .standBy : .lockScreen
            CardFace(card: card, presentation: presentation, appearance: appearance)
                .activityBackgroundTint(CardPalette.colour(.background, appearance).colour)
                .activitySystemActionForegroundColor(CardPalette.colour(.primary, appearance).colour)
                .widgetURL(URL(string: card.link))
        }
    }

    /// One presentation of the card, with its margins. Previews draw it as the widget does.
    struct CardFace: View {
        let card: MatchCard
        let presentation: Presentation
        let appearance: CardAppearance

        var body: some View {
            let layout = card.layout(presentation)
            VStack(alignment: .leading, spacing: 0) {
                CardRows(rows: layout.rows, appearance: appearance).spoken(card.spoken)
                CardButton(card: card, layout: layout, appearance: appearance)
            }
            .padding(
                EdgeInsets(
                    top: layout.marginAbove, leading: layout.margin, bottom: layout.marginBelow,
                    trailing: layout.margin))
        }
    }

    /// The button below the rows, where the layout leaves room for it.
    private struct CardButton: View {
        let card: MatchCard
        let layout: CardLayout
        let appearance: CardAppearance

        var body: some View {
            if layout.hasRoomForButton {
                UnfollowButton(
                    match: card.attributes.matchId, ink: CardPalette.colour(.secondary, appearance).colour)
            }
        }
    }

    private struct CardRows: View {
        let rows: [CardRow]
        let appearance: CardAppearance

        var body: some View {
            // A centred row is only as wide as its content, and so is the island.
            VStack(alignment: rows.contains(where: \.isCentred) ? .center : .leading, spacing: 0) {
                ForEach(Array(rows.enumerated()), id: \.offset) { _, row in
                    HStack(alignment: row.isOnBaseline ? .firstTextBaseline : .center, spacing: 0) {
                        CardPieces(pieces: row.leading, isOnBaseline: row.isOnBaseline, appearance: appearance)
                        if !row.isCentred {
                            // The layout already keeps the two ends apart.
                            Spacer(minLength: 0)
                            CardPieces(pieces: row.trailing, isOnBaseline: row.isOnBaseline, appearance: appearance)
                        }
                    }
                    .frame(height: row.height)
                    .padding(EdgeInsets(top: row.gap, leading: 0, bottom: 0, trailing: 0))
                }
            }
        }
    }

    private struct CardPieces: View {
        let pieces: [CardPiece]
        let isOnBaseline: Bool
        let appearance: CardAppearance

        var body: some View {
            HStack(alignment: isOnBaseline ? .firstTextBaseline : .center, spacing: 0) {
                ForEach(Array(pieces.enumerated()), id: \.offset) { index, piece in
                    CardPieceView(piece: piece, appearance: appearance)
                        .padding(EdgeInsets(top: 0, leading: index == 0 ? 0 : piece.space, bottom: 0, trailing: 0))
                }
            }
        }
    }

    private struct CardPieceView: View {
        @Environment(\.colorSchemeContrast) private var contrast
        let piece: CardPiece
        let appearance: CardAppearance

        var body: some View {
            switch piece.shape {
            case .text:
                if piece.role == .score {
                    text.contentTransition(.numericText())
                } else {
                    text
                }
            case .chip:
                text.frame(width: piece.width)
                    .padding(EdgeInsets(top: 1, leading: 0, bottom: 1, trailing: 0))
                    .background(field, in: RoundedRectangle(cornerRadius: 5))
            case .circle:
                text.frame(width: piece.width, height: 1.75 * piece.size)
                    .background(field, in: Capsule())
            case .line: ink.frame(width: piece.width, height: 14).opacity(0.55)
            }
        }

        private var text: some View {
            Group {
                if let time = piece.time {
                    Text(Date(timeIntervalSince1970: Double(time)), style: .time)
                } else {
                    Text(piece.text)
                }
            }
            .font(.system(size: piece.size, weight: weight).monospacedDigit())
            .foregroundStyle(ink)
            .lineLimit(1)
            .fixedSize()
        }

        private var ink: Color { colour(piece.ink) }
        private var field: Color { colour(piece.field ?? .background) }

        /// Returns the colour of an ink. The island's background stays black when contrast is increased.
        private func colour(_ ink: CardInk) -> Color {
            let isContrasting = appearance == .island && contrast == .increased
            return CardPalette.colour(ink, isContrasting ? .darkContrast : appearance).colour
        }

        private var weight: Font.Weight {
            switch piece.weight {
            case .regular: .regular
            case .semibold: .semibold
            case .bold: .bold
            }
        }
    }
#endif
