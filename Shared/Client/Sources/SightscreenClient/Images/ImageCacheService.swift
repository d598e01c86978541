public import Observation
public import SightscreenModels

/// The teams' images in memory and on disk, for the app and its widget.
@MainActor
public protocol ImageCacheService: AnyObject, Observable, Sendable {
    /// Returns the image from memory at once, so that a view that appears again does not flicker.
    func cachedImage(_ url: String) -> ImageData?

    /// Returns the image from memory, from disk, or from its server. Concurrent calls for one address share one
    /// download.
    func image(_ url: String) async throws(ImageError) -> ImageData

    /// Loads images into the cache before they are needed. A failed download is left to `image`.
    func prefetch(_ urls: [String]) async

    /// Loads the logos of the matches' teams into the cache, those of the next matches first.
    func prefetch(_ matches: [MatchItem]) async

    /// Loads the logos of teams into the cache.
    func prefetch(_ sides: [MatchItem.Side]) async

    /// The address of a team's logo; nil when there is none.
    func logo(of side: MatchItem.Side) -> String?

    /// Empties the memory tier when the system is short of memory. The images on disk stay.
    func memoryPressure()

    /// Removes all images from memory and disk. Downloads under way are not kept.
    func removeAll() async
}
