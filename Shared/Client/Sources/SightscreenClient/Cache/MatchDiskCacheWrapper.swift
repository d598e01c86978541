public import SightscreenModels

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The schedule on disk, with a file for each day. Files are read and written on the disk cache's own thread; encoding
/// and decoding belong to no actor.
public struct MatchDiskCacheWrapper: Sendable {
    /// The product's `MATCH_SCHEMA_VERSION`. Raise it with every change of `CachedDay`, `MatchItem` or `ContentState`
    /// after which an older app's file would be read wrongly. The whole cache is discarded then.
    public static let schemaVersion = 1

    /// The most files and bytes: four weeks of days. A busy day has about 100 KB.
    public static let limits = DiskCacheStore.Limits(files: 28, bytes: 8 << 20)

    private let disk: DiskCacheStore

    public init(
        files: any FileStore, schemaVersion: Int = Self.schemaVersion, limits: DiskCacheStore.Limits = Self.limits
    ) {
        disk = DiskCacheStore(files: files, schemaVersion: schemaVersion, limits: limits)
    }

    @concurrent
    public func day(_ day: UTCDay) async -> CachedDay? {
        let key = Self.key(day)
        guard let entry = await disk.entry(key) else { return nil }
        guard let value = try? JSONDecoder().decode(CachedDay.self, from: Data(entry.value)), value.day == day else {
            await disk.remove(key)
            return nil
        }
        return value
    }

    @concurrent
    public func keep(_ day: CachedDay) async {
        guard let data = try? JSONEncoder().encode(day) else { return }
        await disk.store([UInt8](data), for: Self.key(day.day), savedAt: day.fetchedAt)
    }

    @concurrent
    public func removeAll() async { await disk.removeAll() }

    private static func key(_ day: UTCDay) -> String { "day-\(day)" }
}
