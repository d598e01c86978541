public import SightscreenModels

/// Reads the images that the app has downloaded, for its widget.
///
/// It reads the folder of `RealImageCacheService` synchronously, as a widget's view must. It keeps nothing in memory,
/// asks no server and changes no file. An image that the app has not downloaded is not shown.
public struct WidgetImages: Sendable {
    private let files: any FileStore
    private let logoAddress: @Sendable (MatchItem.Side) -> String?

    /// - Parameters:
    ///   - files: the app's folder for images, in the container of their group.
    ///   - logoAddress: the app's function for addresses of logos, where it has one.
    public init(
        files: any FileStore, logoAddress: @escaping @Sendable (MatchItem.Side) -> String? = { $0.logo }
    ) {
        self.files = files
        self.logoAddress = logoAddress
    }

    /// Returns an image of any age, because an old image is better than none.
    public func image(_ url: String) -> ImageData? {
        guard let bytes = files.read(CacheFile.name(of: url)),
            let file = CacheFile(bytes, schema: RealImageCacheService.schemaVersion), file.key == url
        else { return nil }
        return ImageData(file.value)
    }

    /// Returns the logo of a match's team by its abbreviation in the content state; nil when neither team has it.
    public func logo(of teamAbbr: String, in match: LiveActivityAttributes) -> ImageData? {
        let side: MatchItem.Side? =
            switch teamAbbr {
            case match.homeAbbr: match.home
            case match.awayAbbr: match.away
            default: nil
            }
        return side.flatMap(logoAddress).flatMap(image)
    }
}

extension LiveActivityAttributes {
    var home: MatchItem.Side { .init(id: homeTeamId, name: homeTeam, abbr: homeAbbr, logo: homeLogo) }
    var away: MatchItem.Side { .init(id: awayTeamId, name: awayTeam, abbr: awayAbbr, logo: awayLogo) }
}
