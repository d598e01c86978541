import FoundationEssentials
import HTTPClient

/// The match that device-lab's phones show, from its first ball to its summary.
struct PlayedMatch {
    let lab: String
    let http: HTTPClient
    /// When `sightscreen up` began.
    let begun: ContinuousClock.Instant

    private static let interval = Duration.milliseconds(150)
    /// The longest silence: no break of a tape at any speed lets the phones wait so long, keep-alives included.
    private static let silenceMax = Duration.seconds(1_300)
    /// The time in which device-lab may be restarted.
    private static let answerMax = Duration.seconds(60)
    /// The wait after the end of the match, in which a late update can still show as a fault.
    private static let settling = Duration.seconds(3)

    private struct Summary: Decodable {
        var isOver: Bool
        var progress: Int
        var balls: Int
        var lines: [String]
        var faults: [String]
    }

    /// Waits for its end and prints its summary.
    ///
    /// - Returns: whether every Lock Screen was right.
    func follow() async throws -> Bool {
        var (progress, lastProgress, lastAnswer) = (0, ContinuousClock.now, ContinuousClock.now)
        var hasBall = false
        while true {
            do {
                let summary = try await summary()
                lastAnswer = .now
                if summary.progress != progress { (progress, lastProgress) = (summary.progress, .now) }
                if !hasBall, summary.balls > 0 {
                    hasBall = true
                    Output.error("The first ball is on a Lock Screen after \(begun.secondsSince).")
                }
                if summary.isOver { break }
            } catch is HTTPClientError where .now - lastAnswer < Self.answerMax {
            }
            guard .now - lastProgress < Self.silenceMax else {
                Output.error("No Lock Screen has changed for over 20 minutes; giving up.")
                return false
            }
            try await Task.sleep(for: Self.interval)
        }
        try await Task.sleep(for: Self.settling)
        let summary = try await summary()
        summary.lines.forEach { Output.line($0) }
        return summary.faults.isEmpty
    }

    private func summary() async throws -> Summary {
        let answer = try await http.send(HTTPClientRequest(url: "\(lab)/api/summary", timeout: .seconds(5)))
        guard answer.status == 200 else { throw UpError("device-lab: /api/summary: \(answer.status)") }
        return try JSONDecoder().decode(Summary.self, from: Data(answer.body))
    }
}

extension ContinuousClock.Instant {
    /// The time since then as a person reads it: "12.3 s".
    var secondsSince: String {
        let tenths = Int((ContinuousClock.now - self) / .milliseconds(100))
        return "\(tenths / 10).\(tenths % 10) s"
    }
}
