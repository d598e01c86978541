import HTTP2
import SightscreenModels

/// An answer in the encoded forms in which it is sent.
final class KnownAnswer {
    let answer: SimulatorAnswer
    /// The number that identifies the answer in `Tally`.
    let number: Int
    private let production: HTTP2Answer
    private let sandbox: HTTP2Answer

    init(_ answer: SimulatorAnswer, number: Int) {
        self.answer = answer
        self.number = number
        let id = HTTP2Answer.Varying("apns-id", count: PushID.count)
        let fields = answer.retryAfter.map { [HTTP2Field("retry-after", String($0))] } ?? []
        production = HTTP2Answer(status: answer.status, varying: [id], fields: fields, body: answer.body)
        // Apple sends `apns-unique-id` to development builds only.
        let uniqueID = HTTP2Answer.Varying("apns-unique-id", count: PushID.count)
        sandbox = HTTP2Answer(status: answer.status, varying: [id, uniqueID], fields: fields, body: answer.body)
    }

    func reply(_ id: PushID, _ environment: APNsEnvironment, _ random: inout PushIDSource) -> HTTP2Reply {
        var values = HTTP2Answer.Values()
        if environment == .production {
            values.withUnsafeMutableBytes { if let start = $0.baseAddress { id.copy(to: start) } }
            return .answer(production, values)
        }
        let uniqueID = PushID(using: &random)
        values.withUnsafeMutableBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            id.copy(to: start)
            uniqueID.copy(to: start + PushID.count)
        }
        return .answer(sandbox, values)
    }
}
