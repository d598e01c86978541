#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A payload as it goes out: encoded once, shared by all devices that get it.
public struct PushPayload: Hashable, Sendable {
    /// Apple's limit for everything but VoIP and broadcasts, uncompressed.
    public static let bytesMax = 4_096
    /// What a routine update aims at: a connection's window divided by this is the pushes it has under way.
    public static let routineBytesAim = 1_000

    public let bytes: [UInt8]
    /// What was left out or shortened so that it fits, in that order; a cut that finds nothing to cut is not among
    /// them.
    public let cuts: [PayloadCut]

    /// Keys in alphabetical order, so that equal payloads have equal bytes.
    static func json(_ value: some Encodable) throws(PayloadError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do { return [UInt8](try encoder.encode(value)) } catch { throw .notEncodable("\(error)") }
    }
}
