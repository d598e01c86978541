/// An image as it was downloaded, ready for the platform's decoder.
public struct ImageData: Hashable, Sendable {
    public enum Kind: String, Hashable, Sendable, CaseIterable { case png, jpeg, gif, webp }

    /// The most pixels of an image: 16 MB in memory. A small file may decode to gigabytes, which would cost the app or
    /// its widget their lives.
    public static let pixelsMax = 2_048 * 2_048

    public let kind: Kind
    public let bytes: [UInt8]

    /// Creates an image; nil when the bytes do not begin like one of the kinds, whatever type the server names, or when
    /// they do not name a size of at most `pixelsMax`.
    public init?(_ bytes: [UInt8]) {
        guard let kind = Kind.allCases.first(where: { $0.begins(bytes) }),
            let (width, height) = ImageSize(bytes).read(kind), width > 0, height > 0,
            width <= Self.pixelsMax / height
        else { return nil }
        self.kind = kind
        self.bytes = bytes
    }
}

extension ImageData.Kind {
    fileprivate func begins(_ bytes: [UInt8]) -> Bool {
        switch self {
        case .png: bytes.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
        case .jpeg: bytes.starts(with: [0xff, 0xd8, 0xff])
        case .gif: bytes.starts(with: Array("GIF8".utf8))
        case .webp: bytes.starts(with: Array("RIFF".utf8)) && bytes.dropFirst(8).starts(with: Array("WEBP".utf8))
        }
    }
}
