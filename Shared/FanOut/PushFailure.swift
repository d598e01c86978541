package import APNsProtocol

/// Why a push was not taken: APNs' reason or, without a known one, what is known. A small set, fit for a metric's label;
/// and a byte, for there is one beside each phone.
package struct PushFailure: RawRepresentable, Hashable, Sendable {
    /// Never 0.
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    private static let reasons = APNsReason.allCases
    private static let numbers = Dictionary(
        uniqueKeysWithValues: reasons.enumerated().map { ($1, UInt8($0 + 1)) })

    /// Provably never looked at.
    package static let notProcessed = Self(rawValue: 255)
    /// Nobody knows what became of it.
    package static let unanswered = Self(rawValue: 254)
    /// A refusal without a reason that this build knows.
    package static let otherRefusal = Self(rawValue: 253)
    package static let otherServerError = Self(rawValue: 252)

    package static let badDeviceToken = Self(rawValue: numbers[.badDeviceToken] ?? otherRefusal.rawValue)

    package static let all =
        reasons.indices.map { Self(rawValue: UInt8($0 + 1)) } + [
            notProcessed, unanswered, otherRefusal, otherServerError,
        ]

    package init(_ answer: APNsAnswer) {
        if let number = answer.reason.flatMap({ Self.numbers[$0] }) {
            self.init(rawValue: number)
        } else {
            self = answer.status >= 500 ? .otherServerError : .otherRefusal
        }
    }

    /// Apple's name for it, or ours.
    package var name: String {
        switch self {
        case .notProcessed: "NotProcessed"
        case .unanswered: "Unanswered"
        case .otherServerError: "OtherServerError"
        default:
            (1...Self.reasons.count).contains(Int(rawValue))
                ? Self.reasons[Int(rawValue) - 1].rawValue : "OtherRefusal"
        }
    }
}
