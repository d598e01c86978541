import SightscreenModels
import Testing

@testable import FanOut
@testable import LACoordinator

@Suite struct SlotIndexTests {
    /// Beside a dictionary, through its growth, with keys that come and go and slots that are used again.
    @Test func findsWhatADictionaryFinds() {
        let keys = (0..<3_000).map { RosterKey(user: UserID("u\($0)"), device: DeviceID("d"), generation: 0) }
        var index = SlotIndex()
        var known: [RosterKey: Int] = [:]
        var keyOf: [RosterKey?] = []
        var free: [Int] = []
        func key(_ slot: Int) -> RosterKey { keyOf[slot] ?? keys[0] }
        for step in 0..<30_000 {
            // Fills up to nearly all of them, and empties again.
            let most = step % 10_000 < 5_000 ? keys.count : 200
            let key0 = keys[Int.random(in: 0..<keys.count)]
            if let slot = known[key0], Bool.random() || known.count > most {
                #expect(index.remove(key0, keyAt: key) == slot)
                known[key0] = nil
                free.append(slot)
            } else if known[key0] == nil, known.count < most {
                let slot = free.popLast() ?? keyOf.count
                if slot == keyOf.count { keyOf.append(nil) }
                keyOf[slot] = key0
                index.insert(slot, key0, keyAt: key)
                known[key0] = slot
            }
            if step % 500 == 0 {
                for key0 in keys { #expect(index.slot(of: key0, keyAt: key) == known[key0]) }
            }
        }
        #expect(index.count == known.count)
        let nobody = RosterKey(user: UserID("nobody"), device: DeviceID("d"), generation: 0)
        #expect(index.remove(nobody, keyAt: key) == nil)
    }
}
