/// The room that a presentation has, in points.
///
/// Apple's Human Interface Guidelines (Live Activities, Specifications,
/// https://developer.apple.com/design/human-interface-guidelines/live-activities) name, for an iPhone of 393 × 852
/// points: 52.33 × 36.67 for each side of the compact island, 36.67 to 45 × 36.67 for minimal, 371 × 84 to 160 for
/// expanded and for the Lock Screen, a margin of 14 on the Lock Screen and a radius of 44 for the island; for Apple
/// Watch 152 × 69.5 (40 mm) and more; for CarPlay 170 × 78 and more. Where there are several sizes, the smallest is
/// used, so that a layout fits all of them.
struct CardPlace {
    var width: Double
    var heightMax: Double
    /// The free room on the left and on the right.
    var margin: Double
    /// The free room above. `marginBelow` is the free room below.
    var marginAbove: Double
    var marginBelow: Double
    /// The distance between the two ends of a row.
    var gap: Double

    var contentWidth: Double { width - 2 * margin }
    var contentHeightMax: Double { heightMax - marginAbove - marginBelow }

    init(
        _ width: Double, _ heightMax: Double, margin: Double, above: Double, below: Double, gap: Double = 10
    ) {
        self.width = width
        self.heightMax = heightMax
        self.margin = margin
        marginAbove = above
        marginBelow = below
        self.gap = gap
    }

    static func of(_ presentation: Presentation) -> CardPlace {
        switch presentation {
        case .compactLeading, .compactTrailing: CardPlace(52.33, 36.67, margin: 1, above: 2, below: 2)
        case .minimal: CardPlace(36.67, 36.67, margin: 2, above: 3, below: 3)
        // The first row is beside the camera and has its height.
        case .expanded: CardPlace(371, 160, margin: 16, above: 6, below: 12)
        // The width is that of an iPhone of 375 points, which Apple does not list: the Lock Screen is narrower by the
        // same amount as the screen.
        case .lockScreen: CardPlace(353, 160, margin: 14, above: 10, below: 10)
        // StandBy draws the card twice as large, on a screen in landscape.
        case .standBy: CardPlace(353, 160, margin: 14, above: 12, below: 12)
        // A widget knows that it is small, but not on which device. The texts are those of the smallest Watch also in
        // CarPlay, where the two ends of a row are farther apart.
        case .small: CardPlace(152, 69.5, margin: 8, above: 4, below: 4, gap: 6)
        }
    }

    /// The width of the camera in the middle of the expanded island's first row: 126 points and a margin.
    static let cameraWidth = 130.0
    static let cameraHeight = 30.0
}
