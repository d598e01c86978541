import APNsProtocol
import PayloadProperty
import Testing

@Suite struct PayloadPropertyTests {
    /// Some of the states that the lab goes through in release, which are 100,000.
    @Test func everyStateFitsAndIsCutInTheStatedOrderBetweenCharacters() {
        let seed = UInt64.random(in: 0..<1_000_000_000_000)
        print("PayloadProperty seed \(seed)")
        let report = PayloadProperty.run(count: 2_000, seed: seed)
        #expect(report.faults.isEmpty, "\(report.faults.joined(separator: "\n"))")
        #expect(report.payloads == 8_000)
        // The states are such that every cut is met, and that most payloads need none.
        #expect(PayloadCut.allCases.allSatisfy { report.cuts[$0, default: 0] > 0 }, "\(report.cuts)")
        #expect(report.uncut > report.payloads / 3)
        #expect(report.largestBytes <= PushPayload.bytesMax)
    }
}
