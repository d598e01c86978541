/// Why there is no image.
public enum ImageError: Error, Hashable, Sendable {
    /// Not https, or no address at all: it is never asked for.
    case badAddress
    /// No answer came.
    case transport(TransportError)
    /// The server's refusal.
    case refused(status: Int)
    /// Over the limit.
    case tooLarge
    /// Something else than an image of a known kind.
    case notAnImage

    /// The same address may give an image soon.
    public var passes: Bool {
        switch self {
        case .transport: true
        case .refused(let status): status == 408 || status == 429 || status >= 500
        case .badAddress, .tooLarge, .notAnImage: false
        }
    }
}
