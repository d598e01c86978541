import TestKit

/// Makes damaged tokens out of good ones; the same seed makes the same ones.
struct TokenMutator {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    private static let strange = Array("=+/. \n\t\0\u{7f}\"%,~".utf8)

    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// One to three changes; they may cancel each other out.
    mutating func mutant(of originals: [[UInt8]]) -> [UInt8] {
        guard var token = originals.randomElement(using: &random) else { return [] }
        for _ in 0..<Int.random(in: 1...3, using: &random) { change(&token, originals) }
        return token
    }

    private mutating func change(_ token: inout [UInt8], _ originals: [[UInt8]]) {
        guard let place = token.indices.randomElement(using: &random),
            let other = token.indices.randomElement(using: &random)
        else { return }
        switch Int.random(in: 0..<14, using: &random) {
        case 0: token[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: token[place] = letter()
        case 2: token[place] = UInt8.random(in: 0...255, using: &random)
        case 3: token.insert(letter(), at: place)
        case 4: token.insert(Self.strange.randomElement(using: &random) ?? 0, at: place)
        case 5: token.remove(at: place)
        case 6: token.swapAt(place, other)
        case 7: token[place] ^= 0x20  // The case of a letter.
        case 8: token.removeSubrange(min(place, other)..<max(place, other))
        case 9: token.insert(contentsOf: token[min(place, other)..<max(place, other)], at: place)
        case 10: token = Array(token[place...] + token[..<place])
        case 11: token.append(Bool.random(using: &random) ? UInt8(ascii: "=") : letter())
        case 12: changeLastLetter(&token)
        default: splice(&token, originals)
        }
    }

    private mutating func letter() -> UInt8 { Self.alphabet.randomElement(using: &random) ?? 0 }

    /// The last letter of a part, which has bits that mean nothing in it.
    private mutating func changeLastLetter(_ token: inout [UInt8]) {
        let ends = token.indices.filter { $0 + 1 == token.count || token[$0 + 1] == UInt8(ascii: ".") }
        guard let end = ends.randomElement(using: &random), let value = Self.alphabet.firstIndex(of: token[end]) else {
            return
        }
        token[end] = Self.alphabet[value ^ Int.random(in: 1...15, using: &random)]
    }

    /// A part of another good token in place of this one's.
    private mutating func splice(_ token: inout [UInt8], _ originals: [[UInt8]]) {
        var parts = token.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard let other = originals.randomElement(using: &random),
            let place = parts.indices.randomElement(using: &random)
        else { return }
        let others = other.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard let part = others.randomElement(using: &random) else { return }
        parts[place] = part
        token = Array(parts.joined(separator: [UInt8(ascii: ".")]))
    }
}
