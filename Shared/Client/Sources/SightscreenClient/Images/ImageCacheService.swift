public import Observation
public import SightscreenModels

/// Images of teams, in memory and on disk, for the app and its widget.
@MainActor
public protocol ImageCacheService: AnyObject, Observable, Sendable {
    /// What is in memory: at once, so that a view that appears again does not flicker.
    func cachedImage(_ url: String) -> ImageData?

    /// From memory, from disk, or from its server. Calls for one address at the same time share one download.
    func image(_ url: String) async throws(ImageError) -> ImageData

    /// Brings images into the cache before they are needed; what fails is left for `image`.
    func prefetch(_ urls: [String]) async

    /// The logos of the matches' teams, those of the next matches first.
    func prefetch(_ matches: [MatchItem]) async

    /// The address of a team's logo; nil when there is none.
    func logo(of side: MatchItem.Side) -> String?

    /// The system is short of memory: what is on disk need not be there, too.
    func memoryPressure()

    /// Forgets all images, in memory and on disk; what is being downloaded is not kept.
    func removeAll() async
}
