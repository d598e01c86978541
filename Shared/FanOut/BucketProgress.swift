package import SightscreenModels

/// How far the phones of one match in one bucket have come.
package struct BucketProgress: Sendable, Equatable {
    /// The stamp that each phone but the laggards shows at least.
    package var stamp: Stamp
    /// The few phones that do not show the stamp and are retried, by `mark` of their tokens.
    package var laggards: Set<Int64>

    /// With more laggards than this, none is named, and the whole bucket counts as being as far as its last phone.
    package static let laggardsMax = 16

    package init(stamp: Stamp, laggards: Set<Int64> = []) {
        self.stamp = stamp
        self.laggards = laggards
    }

    /// Joins the progress of two parts of one bucket; nil when they have too many laggards together.
    package func and(_ other: Self) -> Self? {
        let all = laggards.union(other.laggards)
        return all.count > Self.laggardsMax ? nil : Self(stamp: min(stamp, other.stamp), laggards: all)
    }
    /// Whether this report replaces a known one: it has a later stamp, or the same stamp and other laggards.
    package func isNewer(than known: Self?) -> Bool {
        guard let known else { return true }
        return stamp > known.stamp || (stamp == known.stamp && laggards != known.laggards)
    }

    /// Returns the FNV-1a hash of a token, by which the next process finds the laggards of a bucket that it takes over.
    package static func mark(of token: UpdateToken) -> Int64 {
        var value: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in token.rawValue.utf8 { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return Int64(bitPattern: value)
    }

    /// Whether an activity is known to show `stamp`. A token registered less than 30 s before the stamp, or later, may
    /// not have got it.
    package func covers(_ token: UpdateToken, at tokenAt: Double) -> Bool {
        tokenAt + 30 < Double(stamp.rawValue) && (laggards.isEmpty || !laggards.contains(Self.mark(of: token)))
    }
}
