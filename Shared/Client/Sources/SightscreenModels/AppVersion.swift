/// An app version such as "1.2.3". Parts that are left out are 0, and text behind a number ("3-beta") is ignored.
public struct AppVersion: Comparable, Hashable, Sendable {
    private let numbers: [Int]

    public init(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).prefix(3)
            .map { part in Int(part.prefix { $0.isASCII && $0.isNumber }) ?? 0 }
        numbers = parts + Array(repeating: 0, count: max(0, 3 - parts.count))
    }

    public static func < (left: AppVersion, right: AppVersion) -> Bool {
        left.numbers.lexicographicallyPrecedes(right.numbers)
    }
}
