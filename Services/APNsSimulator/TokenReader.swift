import ControlHTTP
import HTTPTypes
import SightscreenModels

/// Reads tokens to register, as one object, an array or one object a line, without a limit of length.
struct TokenReader {
    /// The longest object, more than a sensible one has.
    static let objectBytesMax = 4_096

    struct NewToken: Decodable {
        var token: String
        var kind: PushTokenKind
        var environment: APNsEnvironment
        var timestamp: Int?
        var match: Int?
        var frequentPushes: Bool?
        var bundle: String?
    }

    private(set) var batch = TokenBatch()
    private(set) var count = 0
    /// The bytes of an object that is not complete.
    private var object: [UInt8] = []
    private var depth = 0
    private var isInString = false
    private var isEscaped = false
    private var isArray: Bool?
    private var isOver = false

    /// Reads the next part of the body.
    mutating func read(_ bytes: UnsafeRawBufferPointer) throws {
        var start = 0
        for (index, byte) in bytes.enumerated() {
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\"") where depth > 0: isInString = true
            case UInt8(ascii: "{"):
                guard !isOver else { throw refusal("something follows the array") }
                if depth == 0 { start = index }
                depth += 1
            case UInt8(ascii: "}") where depth > 0:
                depth -= 1
                guard depth == 0 else { continue }
                let rest = UnsafeRawBufferPointer(rebasing: bytes[start...index])
                if object.isEmpty {
                    try add(rest)
                } else {
                    let whole = object + rest
                    object.removeAll(keepingCapacity: true)
                    try whole.withUnsafeBytes { try add($0) }
                }
                start = index + 1
            case _ where depth > 0: break
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): break
            case UInt8(ascii: "[") where isArray == nil && count == 0: isArray = true
            case UInt8(ascii: "]") where isArray == true && !isOver: isOver = true
            case UInt8(ascii: ",") where isArray == true && count > 0 && !isOver: break
            default: throw refusal("no JSON object where one should be")
            }
        }
        if depth > 0 {
            object += bytes[start...]
            guard object.count <= Self.objectBytesMax else { throw refusal("an object is too long") }
        }
    }

    /// Ends the body.
    mutating func end() throws {
        guard depth == 0, isOver == (isArray == true) else { throw refusal("the body breaks off") }
        guard count > 0 || isArray == true else { throw refusal("there is none") }
    }

    mutating func removeBatch() { batch.removeAll() }

    private func refusal(_ what: String) -> Problem {
        Problem(.badRequest, "token \(count + 1): \(what)")
    }

    private mutating func add(_ text: UnsafeRawBufferPointer) throws {
        if !addPlain(text) {
            let new: NewToken
            do {
                new = try JSONBody.decode(NewToken.self, from: Array(text))
            } catch let problem as Problem {
                throw refusal(problem.detail)
            }
            let isToken = Array(new.token.utf8).withUnsafeBytes {
                batch.add(
                    $0, new.kind, new.environment, timestamp: new.timestamp, match: new.match,
                    frequentPushes: new.frequentPushes ?? true, bundle: new.bundle)
            }
            guard isToken else { throw refusal("a token is 2 to \(TokenKey.digitsMax) hexadecimal digits") }
        }
        count += 1
    }

    /// Reads an object in the form that programs write: no white space, no escapes, only numbers of plain digits.
    ///
    /// - Returns: false for an object in another form and for a wrong one, after which nothing was added.
    private mutating func addPlain(_ text: UnsafeRawBufferPointer) -> Bool {
        var reader = PlainObject(text)
        var token: UnsafeRawBufferPointer?
        var kind: PushTokenKind?
        var environment: APNsEnvironment?
        var match: Int?
        var timestamp: Int?
        var bundle: String?
        while let name = reader.nextName() {
            if name.equals("token"), token == nil {
                token = reader.string()
                if token == nil { return false }
            } else if name.equals("kind"), kind == nil, let value = reader.string() {
                kind = PushTokenKind.allCases.first { value.elementsEqual($0.rawValue.utf8) }
            } else if name.equals("environment"), environment == nil, let value = reader.string() {
                environment = APNsEnvironment.allCases.first { value.elementsEqual($0.rawValue.utf8) }
            } else if name.equals("match"), match == nil, let value = reader.integer() {
                match = value
            } else if name.equals("timestamp"), timestamp == nil, let value = reader.integer() {
                timestamp = value
            } else if name.equals("bundle"), bundle == nil, let value = reader.string() {
                bundle = String(decoding: value, as: UTF8.self)
            } else {
                return false
            }
        }
        guard reader.isAtEnd, let token, let kind, let environment else { return false }
        return batch.add(
            token, kind, environment, timestamp: timestamp, match: match, frequentPushes: true, bundle: bundle)
    }
}

/// Steps through a flat object without white space and escapes.
private struct PlainObject {
    private let text: UnsafeRawBufferPointer
    private var at = 0

    init(_ text: UnsafeRawBufferPointer) { self.text = text }

    var isAtEnd: Bool { at == text.count - 1 && text[at] == UInt8(ascii: "}") }

    mutating func nextName() -> UnsafeRawBufferPointer? {
        guard at < text.count, text[at] == (at == 0 ? UInt8(ascii: "{") : UInt8(ascii: ",")) else { return nil }
        at += 1
        guard let name = string(), at < text.count, text[at] == UInt8(ascii: ":") else { return nil }
        at += 1
        return name
    }

    mutating func string() -> UnsafeRawBufferPointer? {
        guard at < text.count, text[at] == UInt8(ascii: "\"") else { return nil }
        var end = at + 1
        while end < text.count, text[end] != UInt8(ascii: "\"") {
            guard text[end] != UInt8(ascii: "\\"), text[end] >= 0x20, text[end] < 0x80 else { return nil }
            end += 1
        }
        guard end < text.count else { return nil }
        defer { at = end + 1 }
        return UnsafeRawBufferPointer(rebasing: text[(at + 1)..<end])
    }

    mutating func integer() -> Int? {
        let start = at
        var value = 0
        while at < text.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(text[at]), at - start < 18 {
            value = value * 10 + Int(text[at] - UInt8(ascii: "0"))
            at += 1
        }
        // JSON allows no leading zero.
        guard at > start, at - start == 1 || text[start] != UInt8(ascii: "0") else { return nil }
        return value
    }
}
