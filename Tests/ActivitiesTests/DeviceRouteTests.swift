import Activities
import SightscreenModels
import Testing

@Suite struct DeviceRouteTests {
    /// Frozen: processes of all versions must agree on where a device's work is done.
    @Test func staysWhatItWas() {
        let route = DeviceRoute(user: UserID("asha"), device: DeviceID("phone-1"))
        #expect(route.hash == DeviceRoute(user: UserID("asha"), device: DeviceID("phone-1")).hash)
        #expect(route.hash != DeviceRoute(user: UserID("ashap"), device: DeviceID("hone-1")).hash)
        #expect(route.hash >= 0)
    }

    @Test func bucketsNestInShards() {
        for number in 0..<2_000 {
            let route = DeviceRoute(user: UserID("user-\(number)"), device: DeviceID("phone"))
            #expect((0..<64).contains(route.shard))
            #expect(route.bucket(of: 1_024) / 16 == route.shard)
            #expect(route.bucket(of: 64) == route.shard)
        }
    }

    @Test func spreadsDevicesEvenly() {
        var counts = [Int](repeating: 0, count: 64)
        for number in 0..<64_000 {
            counts[DeviceRoute(user: UserID("\(number)"), device: DeviceID("A")).shard] += 1
        }
        // 1,000 each; six standard deviations of a binomial are 188.
        #expect(counts.allSatisfy { abs($0 - 1_000) < 190 })
    }
}
