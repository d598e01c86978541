import APNsProtocol
import FoundationEssentials
import Sightscreen
import Testing

struct DeviceModelTests {
    private static let now = Sample.stamp.rawValue
    private static let type = "LiveActivityAttributes"

    private func receive(
        _ model: inout DeviceModel, _ payload: LiveActivityPayload, expiration: Int? = nil, at now: Int = Self.now
    ) throws -> DeviceVerdict {
        model.receive(try payload.encode().bytes, expiration: expiration, attributesType: Self.type, now: now)
    }

    private func update(_ stamp: Int) -> LiveActivityPayload {
        .update(stamp: Stamp(stamp), contentState: Sample.state, staleAt: nil, relevance: nil)
    }

    @Test func updatesMustGrowAndNothingFollowsAnEnd() throws {
        var phone = DeviceModel(kind: .update, shown: Stamp(Self.now))
        #expect(try receive(&phone, update(Self.now)) == .droppedOldTimestamp)
        #expect(try receive(&phone, update(Self.now + 1)) == .handled)
        #expect(try receive(&phone, update(Self.now + 1)) == .droppedOldTimestamp)
        // An end is never too old.
        #expect(try receive(&phone, Sample.end) == .handled)
        #expect(try receive(&phone, update(Self.now + 2)) == .alreadyEnded)
    }

    @Test func anUpdateFromTheFarFutureIsDropped() throws {
        var phone = DeviceModel(kind: .update)
        #expect(try receive(&phone, update(Self.now + 8 * 3_600 + 1)) == .droppedFarTimestamp)
        #expect(try receive(&phone, update(Self.now + 8 * 3_600)) == .handled)
    }

    @Test func aPushThatComesTooLateIsNotDelivered() throws {
        var phone = DeviceModel(kind: .update)
        #expect(try receive(&phone, update(Self.now), expiration: Self.now - 1) == .expired)
        #expect(try receive(&phone, update(Self.now), expiration: Self.now) == .handled)
        #expect(try receive(&phone, update(Self.now + 1), expiration: 0) == .handled)
    }

    @Test func aStartIsForStartTokensOnly() throws {
        var starter = DeviceModel(kind: .start)
        #expect(try receive(&starter, Sample.start) == .handled)
        #expect(try receive(&starter, Sample.update) == .wrongEventForToken)
        var activity = DeviceModel(kind: .update)
        #expect(try receive(&activity, Sample.start) == .wrongEventForToken)
    }

    @Test(arguments: [
        ("\"alert\":{", "\"alarm\":{", DeviceVerdict.missingAlert),
        ("\"title\":\"MI v CSK\"},\"attributes", "\"name\":\"MI v CSK\"},\"attributes", .missingAlert),
        ("\"attributes-type\":\"LiveActivityAttributes\"", "\"attributes-type\":\"Other\"", .wrongAttributesType),
        ("\"attributes-type\"", "\"attributesType\"", .wrongAttributesType),
        ("\"attributes\":{", "\"attribute\":{", .attributesNotDecodable),
        ("\"startsAt\":1699990200", "\"startsAt\":\"soon\"", .attributesNotDecodable),
        ("\"content-state\"", "\"contentState\"", .notDecodable), ("\"timestamp\"", "\"time\"", .notDecodable),
        ("\"event\":\"start\"", "\"event\":\"begin\"", .notDecodable),
        ("\"version\":118", "\"version\":\"118\"", .notDecodable),
    ])
    func aPhoneIsSilentAboutABrokenStart(found: String, written: String, verdict: DeviceVerdict) throws {
        let good = String(decoding: try Sample.start.encode().bytes, as: UTF8.self)
        let broken = good.replacing(found, with: written)
        #expect(broken != good)
        var phone = DeviceModel(kind: .start)
        let found = phone.receive(Array(broken.utf8), expiration: nil, attributesType: Self.type, now: Self.now)
        #expect(found == verdict)
    }
}
