public import Observation
public import SightscreenModels

/// Canned images, for previews and tests of views.
@MainActor
@Observable
public final class FakeImageCacheService: ImageCacheService {
    private var images: [String: ImageData]
    private let standIn: ImageData?
    /// The addresses that were to be prefetched.
    public private(set) var prefetched: [String] = []

    /// - Parameters:
    ///   - images: the images by address.
    ///   - standIn: the image for every other address; nil to refuse them with 404.
    public init(_ images: [String: ImageData] = [:], standIn: ImageData? = FakeImageCacheService.dot) {
        self.images = images
        self.standIn = standIn
    }

    /// A PNG of one grey pixel.
    public nonisolated static let dot = ImageData([
        0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00,
        0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x00, 0x00, 0x00, 0x00, 0x3a, 0x7e, 0x9b, 0x55, 0x00, 0x00, 0x00,
        0x0a, 0x49, 0x44, 0x41, 0x54, 0x78, 0xda, 0x63, 0x68, 0x00, 0x00, 0x00, 0x82, 0x00, 0x81, 0xda, 0x45, 0x08,
        0x3b, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82,
    ])

    public func cachedImage(_ url: String) -> ImageData? { images[url] ?? standIn }

    public func image(_ url: String) throws(ImageError) -> ImageData {
        guard let image = cachedImage(url) else { throw .refused(status: 404) }
        return image
    }

    public func prefetch(_ urls: [String]) { prefetched += urls }

    public func prefetch(_ matches: [MatchItem]) {
        prefetch(matches.flatMap { [$0.home, $0.away] })
    }

    public func prefetch(_ sides: [MatchItem.Side]) { prefetched += sides.compactMap(logo) }

    public func logo(of side: MatchItem.Side) -> String? { "https://images.example/\(side.id).png" }
    public func memoryPressure() {}
    public func removeAll() { images = [:] }
}
