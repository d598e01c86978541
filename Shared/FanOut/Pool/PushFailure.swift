package import APNsProtocol

/// The reason why a push was not accepted: APNs' reason or, without a known one, what is known otherwise. The set is
/// small enough for a metric's label, and a value is one byte, because each phone's row has one.
package struct PushFailure: RawRepresentable, Hashable, Sendable {
    /// The raw value, which is never 0: a row's 0 stands for no failure.
    package let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    private static let reasons = APNsReason.allCases
    private static let numbers = Dictionary(
        uniqueKeysWithValues: reasons.enumerated().map { ($1, UInt8($0 + 1)) })

    /// APNs provably never looked at the push.
    package static let notProcessed = Self(rawValue: 255)
    /// The outcome is unknown.
    package static let unanswered = Self(rawValue: 254)
    /// A refusal without a reason that this build knows.
    package static let otherRefusal = Self(rawValue: 253)
    package static let otherServerError = Self(rawValue: 252)

    package static let badDeviceToken = Self(rawValue: numbers[.badDeviceToken] ?? otherRefusal.rawValue)
    package static let tokenNotForTopic = Self(rawValue: numbers[.deviceTokenNotForTopic] ?? otherRefusal.rawValue)

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
