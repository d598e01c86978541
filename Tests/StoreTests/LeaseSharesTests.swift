import Testing

@testable import Store

/// The rule by which keepers divide leases among them, without a database.
@Suite struct LeaseSharesTests {
    /// A table, and rounds of keepers that see it one after the other.
    private struct Table {
        let names: [LeaseName]
        var holders: [LeaseName: String] = [:]
        var members: Set<String> = []
        var released = 0

        init(_ count: Int) { names = (0..<count).map { LeaseName.shard($0) } }

        mutating func round() {
            for member in members.sorted() {
                let rows = holders.map { LeaseShares.Row(name: $0, instance: $1, left: 1) }
                let plan = LeaseShares(names, rows: rows, members: members, instance: member)
                #expect(plan.acquire.allSatisfy { holders[$0] == nil })
                #expect(plan.release.allSatisfy { holders[$0] == member })
                #expect(plan.release.count <= LeaseShares.releaseMax)
                for name in plan.acquire { holders[name] = member }
                for name in plan.release { holders[name] = nil }
                released += plan.release.count
            }
        }

        var counts: [Int] { members.map { member in holders.values.count { $0 == member } }.sorted() }
    }

    @Test(arguments: [1, 2, 3, 5, 10, 64, 70]) func eachHasAsManyAsTheOthersOrOneMore(_ keepers: Int) {
        var table = Table(64)
        for keeper in 1...keepers {
            table.members.insert("k\(keeper)")
            for _ in 0..<40 { table.round() }
            #expect(table.holders.count == 64)
            #expect(table.counts.reduce(0, +) == 64)
            #expect(table.counts[table.counts.count - 1] - table.counts[0] <= 1)
        }
        let settled = table.holders
        for _ in 0..<5 { table.round() }
        #expect(table.holders == settled, "what is even stays as it is")
    }

    @Test func noMoreChangeHandsThanMust() {
        var table = Table(64)
        table.members = ["a", "b"]
        for _ in 0..<20 { table.round() }
        table.released = 0
        table.members.insert("c")
        for _ in 0..<40 { table.round() }
        #expect(table.released == 21)
        #expect(table.counts == [21, 21, 22])
    }

    @Test func whatADeadKeeperHadIsAcquiredAtOnce() {
        var table = Table(64)
        table.members = ["a", "b", "c"]
        for _ in 0..<40 { table.round() }
        table.members.remove("b")
        table.holders = table.holders.filter { $1 != "b" }
        table.round()
        #expect(table.counts == [32, 32])
    }

    @Test func aSingleLeaseStaysWhereItIs() {
        var table = Table(1)
        table.members = ["m"]
        table.round()
        table.members = ["a", "m", "z"]
        for _ in 0..<5 { table.round() }
        #expect(table.holders.values.first == "m")
        #expect(table.released == 0)
    }

    @Test func nothingMoreIsReleasedWhileSomethingIsFree() {
        let names = (0..<8).map { LeaseName.shard($0) }
        let rows = names.dropLast().map { LeaseShares.Row(name: $0, instance: "a", left: 1) }
        let plan = LeaseShares(names, rows: rows, members: ["a", "b"], instance: "a")
        #expect(plan.release.isEmpty)
        #expect(plan.acquire.isEmpty)
        #expect(LeaseShares(names, rows: rows, members: ["a", "b"], instance: "b").acquire == [names[7]])
    }

    @Test func anExpiredLeaseIsFree() {
        let names = [LeaseName.shard(0)]
        let rows = [LeaseShares.Row(name: names[0], instance: "dead", left: 0)]
        #expect(LeaseShares(names, rows: rows, members: [], instance: "a").acquire == names)
    }
}
