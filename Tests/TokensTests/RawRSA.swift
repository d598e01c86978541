import Testing
import Tokens

/// RSA without any padding of its own: numbers go in, numbers come out. `openssl` does it.
struct RawRSA: Sendable {
    private let pem: [UInt8]
    /// Big-endian, as long as the key.
    let modulus: [UInt8]

    init(pem: String) throws {
        self.pem = Array(pem.utf8)
        let (succeeded, output) = OpenSSLCommand.run(
            "rsa -in key.pem -noout -modulus -out modulus", files: ["key.pem": self.pem], output: "modulus")
        try #require(succeeded)
        let digits = String(decoding: output, as: UTF8.self).drop { $0 != "=" }.dropFirst().filter(\.isHexDigit)
        modulus = try Self.bytes(hex: digits)
    }

    /// The number whose public power is `block`: what decryption without padding gives.
    func sign(_ block: [UInt8]) throws -> [UInt8] {
        let (succeeded, signature) = OpenSSLCommand.run(
            "pkeyutl -decrypt -inkey key.pem -pkeyopt rsa_padding_mode:none -in block -out signature",
            files: ["key.pem": pem, "block": block], output: "signature")
        try #require(succeeded && signature.count == modulus.count, "\(block.count) bytes could not be signed")
        return signature
    }

    /// What a verifier sees in a signature.
    func recover(_ signature: [UInt8]) throws -> [UInt8] {
        let (succeeded, block) = OpenSSLCommand.run(
            "pkeyutl -encrypt -inkey key.pem -pkeyopt rsa_padding_mode:none -in signature -out block",
            files: ["key.pem": pem, "signature": signature], output: "block")
        try #require(succeeded)
        return block
    }

    static func bytes(hex: String) throws -> [UInt8] {
        let digits = hex.compactMap(\.hexDigitValue)
        try #require(digits.count == hex.count && digits.count % 2 == 0)
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    /// The sum of two numbers, one byte longer where it must be.
    static func sum(_ one: [UInt8], _ other: [UInt8]) -> [UInt8] {
        var carry = 0
        var bytes: [UInt8] = []
        for index in 0..<max(one.count, other.count) {
            let digit = { (number: [UInt8]) in index < number.count ? Int(number[number.count - 1 - index]) : 0 }
            carry += digit(one) + digit(other)
            bytes.append(UInt8(carry & 0xff))
            carry >>= 8
        }
        if carry > 0 { bytes.append(UInt8(carry)) }
        return bytes.reversed()
    }
}
