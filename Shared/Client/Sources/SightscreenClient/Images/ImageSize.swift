/// Reads the size of an image in pixels from its first bytes, without decoding it.
struct ImageSize {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// - Returns: nil when the bytes end before the size, or are not of that kind.
    func read(_ kind: ImageData.Kind) -> (width: Int, height: Int)? {
        switch kind {
        case .png: isText("IHDR", at: 12) ? size(big(16, 4), big(20, 4)) : nil
        case .gif: size(little(6, 2), little(8, 2))
        case .jpeg: jpeg
        case .webp: webp
        }
    }

    /// The frame's header is a segment after others, whose lengths are known.
    private var jpeg: (width: Int, height: Int)? {
        var place = 2
        while let mark = big(place, 2), mark >> 8 == 0xff {
            let kind = mark & 0xff
            switch kind {
            // A byte that fills.
            case 0xff: place += 1
            case 0xc0...0xcf where ![0xc4, 0xc8, 0xcc].contains(kind): return size(big(place + 7, 2), big(place + 5, 2))
            // The picture begins, or ends, without a frame.
            case 0xd8...0xda: return nil
            default:
                guard let length = big(place + 2, 2), length >= 2 else { return nil }
                place += 2 + length
            }
        }
        return nil
    }

    private var webp: (width: Int, height: Int)? {
        if isText("VP8X", at: 12) { return size(little(24, 3).map { $0 + 1 }, little(27, 3).map { $0 + 1 }) }
        if isText("VP8L", at: 12), let bits = little(21, 4) { return (bits & 0x3fff + 1, bits >> 14 & 0x3fff + 1) }
        guard isText("VP8 ", at: 12) else { return nil }
        return size(little(26, 2).map { $0 & 0x3fff }, little(28, 2).map { $0 & 0x3fff })
    }

    private func size(_ width: Int?, _ height: Int?) -> (width: Int, height: Int)? {
        guard let width, let height else { return nil }
        return (width, height)
    }

    private func isText(_ text: String, at place: Int) -> Bool { bytes.dropFirst(place).starts(with: text.utf8) }

    private func big(_ place: Int, _ count: Int) -> Int? {
        guard place + count <= bytes.count else { return nil }
        return bytes[place..<place + count].reduce(0) { $0 << 8 | Int($1) }
    }

    private func little(_ place: Int, _ count: Int) -> Int? {
        guard place + count <= bytes.count else { return nil }
        return bytes[place..<place + count].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
