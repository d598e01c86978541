import Tokens

/// What a signature holds where RSASSA-PKCS1-v1_5 with SHA-256 has exactly one form (RFC 8017 section 9.2):
/// `00 01 FF…FF 00` and the DER of algorithm and digest. Verifiers that parse the block instead of comparing it have
/// taken forgeries like these, some of which need no private key.
struct PaddingForgery: Sendable {
    var name: String
    /// The block for a digest, as long as the key.
    var block: @Sendable (_ digest: [UInt8]) throws -> [UInt8]

    /// The one that is right.
    static let honest = PaddingForgery(name: "nothing wrong") { padded(info($0)) }

    static let all: [PaddingForgery] = algorithms + digests + encodings + paddings

    // MARK: - The digest's description

    private static let sha256: [UInt8] = [0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01]
    private static let sha1: [UInt8] = [0x06, 0x05, 0x2b, 0x0e, 0x03, 0x02, 0x1a]
    private static let md5: [UInt8] = [0x06, 0x08, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x02, 0x05]
    private static let null: [UInt8] = [0x05, 0x00]

    private static func tagged(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        content.count < 128 ? [tag, UInt8(content.count)] + content : [tag, 0x81, UInt8(content.count)] + content
    }

    private static func info(_ digest: [UInt8], algorithm: [UInt8] = sha256, parameters: [UInt8] = null) -> [UInt8] {
        tagged(0x30, tagged(0x30, algorithm + parameters) + tagged(0x04, digest))
    }

    /// `sha256` with another last number: 2 is SHA-384, 3 SHA-512, 4 SHA-224, 6 SHA-512/256.
    private static func relative(_ last: UInt8) -> [UInt8] { sha256.dropLast() + [last] }

    private static func padded(
        _ info: [UInt8], lead: [UInt8] = [0x00, 0x01], fill: UInt8 = 0xff, separator: [UInt8] = [0x00]
    ) -> [UInt8] {
        let room = size - lead.count - separator.count - info.count
        return lead + [UInt8](repeating: fill, count: room) + separator + info
    }

    private static let size = 256

    // MARK: - Forgeries

    private static let algorithms = [
        PaddingForgery(name: "the NULL is missing") { padded(info($0, parameters: [])) },
        PaddingForgery(name: "the NULL has content") { padded(info($0, parameters: [0x05, 0x01, 0x00])) },
        PaddingForgery(name: "two NULLs") { padded(info($0, parameters: null + null)) },
        PaddingForgery(name: "an empty sequence instead of the NULL") { padded(info($0, parameters: [0x30, 0x00])) },
        PaddingForgery(name: "garbage in the parameters") {
            padded(info($0, parameters: tagged(0x04, [UInt8](repeating: 0x5a, count: 100))))
        },
        PaddingForgery(name: "as much garbage in the parameters as there is room") {
            padded(info($0, parameters: tagged(0x04, [UInt8](repeating: 0x5a, count: 180))))
        },
        PaddingForgery(name: "SHA-1's name") { padded(info($0, algorithm: sha1)) },
        PaddingForgery(name: "MD5's name") { padded(info($0, algorithm: md5)) },
        PaddingForgery(name: "SHA-384's name") { padded(info($0, algorithm: relative(2))) },
        PaddingForgery(name: "SHA-512's name") { padded(info($0, algorithm: relative(3))) },
        PaddingForgery(name: "SHA-224's name") { padded(info($0, algorithm: relative(4))) },
        PaddingForgery(name: "SHA-512/256's name") { padded(info($0, algorithm: relative(6))) },
        PaddingForgery(name: "SHA3-256's name") { padded(info($0, algorithm: relative(8))) },
        PaddingForgery(name: "the name of SHA-256 with RSA") {
            padded(info($0, algorithm: [0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0b]))
        },
        PaddingForgery(name: "an empty name") { padded(info($0, algorithm: [0x06, 0x00])) },
        PaddingForgery(name: "no algorithm at all") { padded(tagged(0x30, tagged(0x04, $0))) },
    ]

    private static let digests = [
        PaddingForgery(name: "the digest alone") { padded($0) },
        PaddingForgery(name: "the digest in its octet string alone") { padded(tagged(0x04, $0)) },
        PaddingForgery(name: "a digest without its last byte") { padded(info($0.dropLast())) },
        PaddingForgery(name: "a digest without its first byte") { padded(info(Array($0.dropFirst()))) },
        PaddingForgery(name: "half a digest") { padded(info(Array($0.prefix(16)))) },
        PaddingForgery(name: "an empty digest") { _ in padded(info([])) },
        PaddingForgery(name: "a digest with a byte more") { padded(info($0 + [0x00])) },
        PaddingForgery(name: "a digest twice") { padded(info($0 + $0)) },
        PaddingForgery(name: "a digest of which one bit differs") { padded(info([$0[0] ^ 1] + $0.dropFirst())) },
        PaddingForgery(name: "a digest of nothing but zeros") { _ in padded(info([UInt8](repeating: 0, count: 32))) },
        PaddingForgery(name: "the digest's digest") { padded(info(try SHA256Digest.of($0))) },
        PaddingForgery(name: "the digest backwards") { padded(info($0.reversed())) },
    ]

    private static let encodings = [
        PaddingForgery(name: "the outer length in two bytes") {
            let inner = Array(info($0).dropFirst(2))
            return padded([0x30, 0x81, UInt8(inner.count)] + inner)
        },
        PaddingForgery(name: "the outer length in three bytes") {
            let inner = Array(info($0).dropFirst(2))
            return padded([0x30, 0x82, 0x00, UInt8(inner.count)] + inner)
        },
        PaddingForgery(name: "the outer length in a hundred bytes") {
            let inner = Array(info($0).dropFirst(2))
            return padded([0x30, 0x80 + 100] + [UInt8](repeating: 0, count: 99) + [UInt8(inner.count)] + inner)
        },
        PaddingForgery(name: "the algorithm's length in two bytes") {
            padded(tagged(0x30, [0x30, 0x81, 0x0d] + sha256 + null + tagged(0x04, $0)))
        },
        PaddingForgery(name: "the name's length in two bytes") {
            padded(tagged(0x30, tagged(0x30, [0x06, 0x81, 0x09] + sha256.dropFirst(2) + null) + tagged(0x04, $0)))
        },
        PaddingForgery(name: "the NULL's length in two bytes") { padded(info($0, parameters: [0x05, 0x81, 0x00])) },
        PaddingForgery(name: "the digest's length in two bytes") {
            padded(tagged(0x30, tagged(0x30, sha256 + null) + [0x04, 0x81, 0x20] + $0))
        },
        PaddingForgery(name: "a sequence that says not how long it is") {
            padded([0x30, 0x80] + tagged(0x30, sha256 + null) + tagged(0x04, $0) + [0x00, 0x00])
        },
        PaddingForgery(name: "a digest in pieces") {
            padded(
                tagged(
                    0x30,
                    tagged(0x30, sha256 + null)
                        + tagged(0x24, tagged(0x04, Array($0.prefix(16))) + tagged(0x04, Array($0.suffix(16))))))
        },
        PaddingForgery(name: "a set instead of a sequence") { padded([0x31] + info($0).dropFirst()) },
        PaddingForgery(name: "a bit string instead of an octet string") {
            padded(tagged(0x30, tagged(0x30, sha256 + null) + tagged(0x03, $0)))
        },
        PaddingForgery(name: "a length that is too large") { padded([0x30, 0x32] + info($0).dropFirst(2)) },
        PaddingForgery(name: "a length that is too small") { padded([0x30, 0x30] + info($0).dropFirst(2)) },
        PaddingForgery(name: "a length that is zero") { padded([0x30, 0x00] + info($0).dropFirst(2)) },
        PaddingForgery(name: "something after the digest, inside") {
            padded(tagged(0x30, tagged(0x30, sha256 + null) + tagged(0x04, $0) + null))
        },
        PaddingForgery(name: "garbage after the digest, inside") {
            padded(
                tagged(
                    0x30,
                    tagged(0x30, sha256 + null) + tagged(0x04, $0) + tagged(0x04, [UInt8](repeating: 7, count: 60))))
        },
        PaddingForgery(name: "a zero after the digest") { padded(info($0) + [0x00]) },
        PaddingForgery(name: "garbage after the digest") { padded(info($0) + [UInt8](repeating: 0x5a, count: 64)) },
    ]

    private static let paddings = [
        PaddingForgery(name: "eight bytes of padding, and garbage at the end") {
            let start = [0x00, 0x01] + [UInt8](repeating: 0xff, count: 8) + [0x00] + info($0)
            return start + [UInt8](repeating: 0x5a, count: size - start.count)
        },
        PaddingForgery(name: "eight bytes of padding, and zeros at the end") {
            let start = [0x00, 0x01] + [UInt8](repeating: 0xff, count: 8) + [0x00] + info($0)
            return start + [UInt8](repeating: 0x00, count: size - start.count)
        },
        PaddingForgery(name: "no padding, and garbage at the end") {
            let start = [0x00, 0x01, 0x00] + info($0)
            return start + [UInt8](repeating: 0x5a, count: size - start.count)
        },
        PaddingForgery(name: "zeros for padding") { padded(info($0), fill: 0x00) },
        PaddingForgery(name: "other padding") { padded(info($0), fill: 0x5a) },
        PaddingForgery(name: "the padding of encryption") { padded(info($0), lead: [0x00, 0x02], fill: 0x5a) },
        PaddingForgery(name: "block type 0") { padded(info($0), lead: [0x00, 0x00]) },
        PaddingForgery(name: "block type 2") { padded(info($0), lead: [0x00, 0x02]) },
        PaddingForgery(name: "block type 3") { padded(info($0), lead: [0x00, 0x03]) },
        PaddingForgery(name: "no zero in front") { padded(info($0), lead: [0x01]) },
        PaddingForgery(name: "two zeros in front") { padded(info($0), lead: [0x00, 0x00, 0x01]) },
        PaddingForgery(name: "no separator") { padded(info($0), separator: []) },
        PaddingForgery(name: "another separator") { padded(info($0), separator: [0x01]) },
        PaddingForgery(name: "two separators") { padded(info($0), separator: [0x00, 0x00]) },
        PaddingForgery(name: "one byte of padding that differs") {
            var block = padded(info($0))
            block[100] = 0xfe
            return block
        },
        PaddingForgery(name: "the first byte of padding differs") {
            var block = padded(info($0))
            block[2] = 0x7f
            return block
        },
        PaddingForgery(name: "a zero in the padding") {
            var block = padded(info($0))
            block[60] = 0x00
            return block
        },
        PaddingForgery(name: "nothing but zeros before the digest") {
            [UInt8](repeating: 0, count: size - info($0).count) + info($0)
        },
        PaddingForgery(name: "a block of another message's that holds the digest in its padding") {
            let other = padded(info([UInt8](repeating: 1, count: 32)))
            return Array(other.prefix(11)) + $0 + other.dropFirst(43)
        },
    ]
}
