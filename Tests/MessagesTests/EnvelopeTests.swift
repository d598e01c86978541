import FoundationEssentials
import Messages
import SightscreenModels
import Testing

@Suite struct EnvelopeTests {
    @Test func hasTheFieldsOfTheContract() throws {
        let envelope = Envelope(
            type: ActivitiesChanged.type, id: "17", sentAt: 1_700_000_000_000, traceparent: nil,
            payload: ActivitiesChanged(matchID: MatchID(1_304_076)))
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        #expect(
            String(decoding: try encoder.encode(envelope), as: UTF8.self)
                == #"{"id":"17","payload":{"matchID":"1304076"},"sentAt":1700000000000,"type":"activities-changed"}"#)
    }

    @Test func letsUnknownKeysOfANewerPeerPass() throws {
        let json = #"{"type":"activities-changed","id":"1","sentAt":0,"new":true,"payload":{"matchID":"7","more":1}}"#
        let envelope = try JSONDecoder().decode(Envelope<ActivitiesChanged>.self, from: Data(json.utf8))
        #expect(envelope.payload.matchID == MatchID(7))
    }
}
