/// The images in memory, up to a limit of bytes. The image that was used longest ago is removed first. It is not an
/// NSCache, which evicts at any time and does not exist on every platform; the system's memory warnings come from
/// outside.
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
        // A tenth is freed at a time, so that not every insertion has to sort all images.
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
