/// The reason why there is no image.
public enum ImageError: Error, Hashable, Sendable {
    /// The address is not https, or no address at all. It is never requested.
    case badAddress
    /// The server did not answer.
    case transport(TransportError)
    /// The server refused the request.
    case refused(status: Int)
    /// The image is larger than the limit.
    case tooLarge
    /// The answer is not an image of a known kind.
    case notAnImage

    /// Whether the same address may give an image soon.
    public var passes: Bool {
        switch self {
        case .transport: true
        case .refused(let status): status == 408 || status == 429 || status >= 500
        case .badAddress, .tooLarge, .notAnImage: false
        }
    }
}
