package import SightscreenModels

/// How far the phones of one match in one bucket are.
package struct BucketProgress: Sendable, Equatable {
    /// What each of them shows at least.
    package var stamp: Stamp
    /// But for these few, which are tried ever again: by `mark` of their tokens.
    package var laggards: Set<Int64>

    /// More are not told apart: then all of the bucket are as far as the last of them.
    package static let laggardsMax = 16

    package init(stamp: Stamp, laggards: Set<Int64> = []) {
        self.stamp = stamp
        self.laggards = laggards
    }

    /// Of two parts of one bucket.
    package func and(_ other: Self) -> Self? {
        let all = laggards.union(other.laggards)
        return all.count > Self.laggardsMax ? nil : Self(stamp: min(stamp, other.stamp), laggards: all)
    }

    /// Of two reports about one bucket, the later one counts unless it says less.
    package func isNews(after known: Self?) -> Bool {
        guard let known else { return true }
        return stamp > known.stamp || (stamp == known.stamp && laggards != known.laggards)
    }

    /// FNV-1a: whoever takes the bucket over has to find them.
    package static func mark(of token: UpdateToken) -> Int64 {
        var value: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in token.rawValue.utf8 { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return Int64(bitPattern: value)
    }

    /// Whether an activity is known to show `stamp`. A token that was registered only shortly before may not have got it.
    package func covers(_ token: UpdateToken, at tokenAt: Double) -> Bool {
        tokenAt + 30 < Double(stamp.rawValue) && (laggards.isEmpty || !laggards.contains(Self.mark(of: token)))
    }
}
