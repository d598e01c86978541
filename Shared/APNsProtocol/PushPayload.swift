#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A payload as it is sent: encoded once, and shared by all devices that get it.
public struct PushPayload: Hashable, Sendable {
    /// Apple's limit for everything but VoIP and broadcasts, uncompressed.
    public static let bytesMax = 4_096
    /// The length in bytes that a routine update aims at: a connection has as many pushes in flight as this fits into
    /// its window.
    public static let routineBytesAim = 1_000

    public let bytes: [UInt8]
    /// The cuts that made the payload fit, in order; a cut that found nothing to cut is not among them.
    public let cuts: [PayloadCut]

    /// Encodes a value with its keys in alphabetical order, so that equal payloads have equal bytes.
    static func json(_ value: some Encodable) throws(PayloadError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do { return [UInt8](try encoder.encode(value)) } catch { throw .notEncodable("\(error)") }
    }
}
