/// The file around a cached value. A file of another format, schema or key, or a damaged one, is never read as this
/// one: its first line has the schema and a checksum of everything that follows, the second line the time and the key,
/// and the value follows.
struct CacheFile: Hashable, Sendable {
    static let magic = "sightscreen-cache"

    var key: String
    /// Seconds since 1970.
    var savedAt: Int
    var value: [UInt8]

    init(key: String, savedAt: Int, value: [UInt8]) {
        self.key = key
        self.savedAt = savedAt
        self.value = value
    }

    func bytes(schema: Int) -> [UInt8] {
        let content = Array("\(savedAt) \(key)\n".utf8) + value
        return Array("\(Self.magic) \(schema) \(CRC32.of(content[...]))\n".utf8) + content
    }

    /// Reads a file; nil for any bytes that `bytes(schema:)` has not written.
    init?(_ bytes: [UInt8], schema: Int) {
        guard let line = Self.line(bytes[...]), let inner = Self.line(bytes[line.next...]) else { return nil }
        let words = line.text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, words[0] == Self.magic, words[1] == String(schema),
            words[2] == String(CRC32.of(bytes[line.next...]))
        else { return nil }
        let parts = inner.text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let savedAt = Int(parts[0]) else { return nil }
        self.init(key: String(parts[1]), savedAt: savedAt, value: Array(bytes[inner.next...]))
    }

    private static func line(_ bytes: ArraySlice<UInt8>) -> (text: String, next: Int)? {
        // Keys are short, so bytes without an early end of line are no file of this cache.
        guard let end = bytes.prefix(4_096).firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        return (String(decoding: bytes[bytes.startIndex..<end], as: UTF8.self), end + 1)
    }

    /// Returns the name of a key's file: the key where it is a valid name, otherwise a hash of it. The file contains
    /// the key.
    static func name(of key: String) -> String {
        if FileName.isGood(key), !key.hasPrefix(hashPrefix), key != DiskCacheStore.schemaFile { return key }
        return hashPrefix + hex(hash(key, 0xcbf2_9ce4_8422_2325)) + hex(hash(key, 0x6c62_272e_07bb_0142))
    }

    private static let hashPrefix = "h-"

    /// Returns the FNV-1a hash.
    private static func hash(_ key: String, _ basis: UInt64) -> UInt64 {
        key.utf8.reduce(basis) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
    }

    private static func hex(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

/// The CRC-32 checksum, as zip files use it.
enum CRC32 {
    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { value, _ in value & 1 == 0 ? value >> 1 : 0xedb8_8320 ^ (value >> 1) }
    }

    static func of(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        table.withUnsafeBufferPointer { table in
            ~bytes.reduce(~UInt32(0)) { table[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] ^ ($0 >> 8) }
        }
    }
}
