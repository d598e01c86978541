public import ArgumentParser
public import Tapes

/// The behaviour of a match's feed; `deploy/docs/tapes.md` describes the variants.
struct FeedOptions: ParsableArguments {
    @Option(help: "How the feed misbehaves.") var variant: TapeVariant = .clean
    @Option(help: ArgumentHelp("Where it misbehaves, and how.", valueName: "number")) var seed: UInt64 = 1
}

extension TapeVariant: ExpressibleByArgument {
    /// Accepts "late-result", and also "lateResult", or "correction" for "corrections".
    public init?(argument: String) {
        func bare(_ name: String) -> String {
            let letters = name.lowercased().filter(\.isLetter)
            return letters.last == "s" ? String(letters.dropLast()) : letters
        }
        guard let variant = Self.allCases.first(where: { bare($0.rawValue) == bare(argument) }) else { return nil }
        self = variant
    }
}
