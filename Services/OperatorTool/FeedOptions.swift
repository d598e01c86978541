public import ArgumentParser
public import Tapes

/// How the feed of a match behaves: `deploy/docs/tapes.md` has the variants.
struct FeedOptions: ParsableArguments {
    @Option(help: "How the feed misbehaves.") var variant: TapeVariant = .clean
    @Option(help: ArgumentHelp("Where it misbehaves, and how.", valueName: "number")) var seed: UInt64 = 1
}

extension TapeVariant: ExpressibleByArgument {
    /// Takes "late-result", and "lateResult" or "correction" for what is meant by them.
    public init?(argument: String) {
        func bare(_ name: String) -> String {
            let letters = name.lowercased().filter(\.isLetter)
            return letters.last == "s" ? String(letters.dropLast()) : letters
        }
        guard let variant = Self.allCases.first(where: { bare($0.rawValue) == bare(argument) }) else { return nil }
        self = variant
    }
}
