internal import COpenSSL

/// The keys that an issuer publishes. Only trustworthy ones are kept: RSA of 2048 to 8192 bits, marked "RS256".
public struct JWKS: Sendable {
    /// The smallest modulus in bits; a smaller key is too weak to be trusted.
    public static let modulusBitsMin = 2048
    /// The largest modulus in bits; a check with a larger key costs more than a request should.
    public static let modulusBitsMax = 8192
    /// The largest document that is read, in bytes.
    public static let documentBytesMax = 65_536
    /// The most keys in a set, more than any user pool rotates through.
    public static let keysMax = 32

    /// Tells sets apart, even those with the same keys: every document that is read makes a new identity.
    public final class Identity: Sendable {
        fileprivate init() {}
    }

    public let identity = Identity()
    private let keys: [String: KeyHandle]
    /// The reasons for which keys were left out; the texts name no key material.
    public let skipped: [String]

    public var keyIDs: Set<String> { Set(keys.keys) }

    /// The reason for which a document is not a key set.
    public struct Refusal: Error, Hashable, CustomStringConvertible {
        public let description: String
    }

    /// - Throws: `Refusal` if the document is not strict JSON with an array `keys`, two keys share an id, or no key is
    ///   usable.
    public init(json: [UInt8]) throws(Refusal) {
        guard json.count <= Self.documentBytesMax else { throw Refusal(description: "the key set is over 64 KiB") }
        let document: JSONValue
        do { document = try JSONValue(strict: json) } catch {
            throw Refusal(description: "the key set is not JSON: \(error)")
        }
        guard let members = document.object?["keys"]?.array else {
            throw Refusal(description: "the key set has no array 'keys'")
        }
        guard members.count <= Self.keysMax else { throw Refusal(description: "the key set has over 32 keys") }
        var keys: [String: KeyHandle] = [:]
        var skipped: [String] = []
        for member in members {
            switch Self.read(member) {
            case .usable(let id, let key):
                guard keys.updateValue(key, forKey: id) == nil else {
                    throw Refusal(description: "two keys have the same id")
                }
            case .skipped(let reason): skipped.append(reason)
            }
        }
        guard !keys.isEmpty else {
            throw Refusal(description: "the key set has no usable key (\(skipped.joined(separator: ", ")))")
        }
        self.keys = keys
        self.skipped = skipped
    }

    /// Returns exactly the key with this id; there is no default.
    func key(_ id: String) -> KeyHandle? { keys[id] }

    private enum Member {
        case usable(id: String, KeyHandle)
        case skipped(String)
    }

    private static func read(_ value: JSONValue) -> Member {
        guard let members = value.object else { return .skipped("not an object") }
        guard members["kty"]?.string == "RSA" else { return .skipped("not an RSA key") }
        guard members["alg"]?.string == "RS256" else { return .skipped("not marked RS256") }
        if let use = members["use"], use.string != "sig" { return .skipped("not for signatures") }
        guard members["d"] == nil else { return .skipped("a private key") }
        guard let id = members["kid"]?.string, isKeyID(id) else { return .skipped("without a usable id") }
        guard let modulus = members["n"]?.string.flatMap({ Base64URL.decode($0) }),
            let exponent = members["e"]?.string.flatMap({ Base64URL.decode($0) })
        else { return .skipped("not base64url") }
        let bits = modulus.count * 8 - (modulus.first?.leadingZeroBitCount ?? 8)
        guard modulus.first != 0, bits >= modulusBitsMin, bits <= modulusBitsMax else {
            return .skipped("a modulus of \(bits) bits")
        }
        guard let lowest = modulus.last, lowest & 1 == 1 else { return .skipped("an even modulus") }
        guard (1...4).contains(exponent.count), exponent.first != 0, let last = exponent.last, last & 1 == 1,
            exponent != [1]
        else { return .skipped("an unusual exponent") }
        guard let key = KeyHandle(modulus: modulus, exponent: exponent) else { return .skipped("refused by OpenSSL") }
        return .usable(id: id, key)
    }

    /// Returns whether an id matches `[A-Za-z0-9+/=_-]{1,128}`.
    static func isKeyID(_ id: String) -> Bool {
        (1...128).contains(id.utf8.count)
            && id.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="),
                    UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}

extension KeyHandle {
    /// Makes an RSA public key from its numbers, which are big-endian.
    fileprivate convenience init?(modulus: [UInt8], exponent: [UInt8]) {
        defer { OpenSSLError.drainQueue() }
        guard let n = BN_bin2bn(modulus, Int32(modulus.count), nil) else { return nil }
        defer { BN_free(n) }
        guard let e = BN_bin2bn(exponent, Int32(exponent.count), nil) else { return nil }
        defer { BN_free(e) }
        guard let builder = OSSL_PARAM_BLD_new() else { return nil }
        defer { OSSL_PARAM_BLD_free(builder) }
        guard copenssl_push_rsa_numbers(builder, n, e) == 1,
            let parameters = OSSL_PARAM_BLD_to_param(builder)
        else { return nil }
        defer { OSSL_PARAM_free(parameters) }
        guard let context = EVP_PKEY_CTX_new_from_name(nil, "RSA", nil) else { return nil }
        defer { EVP_PKEY_CTX_free(context) }
        var raw: OpaquePointer?
        guard EVP_PKEY_fromdata_init(context) == 1,
            EVP_PKEY_fromdata(context, &raw, copenssl_public_key_selection(), parameters) == 1, let raw
        else { return nil }
        self.init(owning: raw)
    }
}
