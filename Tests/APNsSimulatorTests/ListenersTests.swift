import SightscreenModels
import Testing

@testable import APNsSimulator

struct ListenersTests {
    private static func listener(_ subscriber: UInt32) -> Listeners.Listener {
        Listeners.Listener(subscriber: subscriber, phone: DeviceModel(kind: .update))
    }

    @Test func whoLeavesIsGoneAndTheOthersStay() {
        var listeners = Listeners()
        for subscriber in 0..<5 as Range<UInt32> { listeners.add(Self.listener(subscriber)) }
        listeners.add(Self.listener(3))
        #expect(listeners.count == 5)
        for subscriber in [1, 4, 0] as [UInt32] {
            let removed = [listeners.remove(subscriber), listeners.remove(subscriber)]
            #expect(removed == [true, false])
        }
        #expect(Set(listeners.all.map(\.subscriber)) == [2, 3])
        listeners.add(Self.listener(1))
        let removed = listeners.remove(3)
        #expect(removed)
        #expect(Set(listeners.all.map(\.subscriber)) == [1, 2])
    }

    @Test func aBudgetComesBackInAMinute() {
        var budget = PublishBudget()
        func taken(_ timesMs: Int64...) -> [Bool] { timesMs.map { budget.take(of: 4, nowMs: $0) } }
        #expect(taken(1_000, 1_000, 1_000, 1_000, 15_999) == [true, true, true, true, false])
        #expect(taken(16_001, 16_002) == [true, false])
        // A clock that goes back gives nothing away.
        #expect(taken(0, 76_002, 76_002, 76_002, 76_002) == [false, true, true, true, true])
    }

    @Test(arguments: [
        ("AAAA", true), ("AAA=", true), ("AA==", true), ("+/==", true), ("A===", false), ("====", false), ("", false),
        ("AAA", false), ("AA A", false), ("AA=A", false), ("AAAé", false),
    ])
    func aChannelIDIsBase64(text: String, isBase64: Bool) { #expect(FieldSyntax.isBase64(text) == isBase64) }
}
