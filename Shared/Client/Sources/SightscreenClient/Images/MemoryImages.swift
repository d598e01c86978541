/// The images in memory, within a limit of bytes: the one goes first that was used longest ago. Not NSCache, which lets
/// go when it likes and does not exist everywhere; the system's warnings come from outside.
struct MemoryImages {
    private struct Entry {
        var image: ImageData
        var usedAt: UInt64
    }

    private let bytesMax: Int
    private var entries: [String: Entry] = [:]
    private var uses: UInt64 = 0
    private(set) var bytes = 0

    init(bytesMax: Int) { self.bytesMax = bytesMax }

    var count: Int { entries.count }

    mutating func image(_ url: String) -> ImageData? {
        uses += 1
        entries[url]?.usedAt = uses
        return entries[url]?.image
    }

    mutating func insert(_ image: ImageData, for url: String) {
        remove(url)
        guard image.bytes.count <= bytesMax else { return }
        uses += 1
        entries[url] = Entry(image: image, usedAt: uses)
        bytes += image.bytes.count
        // Some room at a time: not every insertion has to look through all of them.
        if bytes > bytesMax { shrink(to: bytesMax / 10 * 9) }
    }

    mutating func removeAll() {
        entries = [:]
        bytes = 0
    }

    private mutating func remove(_ url: String) {
        if let old = entries.removeValue(forKey: url) { bytes -= old.image.bytes.count }
    }

    private mutating func shrink(to limit: Int) {
        for (url, _) in entries.sorted(by: { $0.value.usedAt < $1.value.usedAt }) {
            remove(url)
            if bytes <= limit { return }
        }
    }
}
