import Logging
import Postgres
import ServiceLifecycle
import SightscreenModels
import Store
import TestKit
import Testing

@testable import APIGateway

@Suite struct DeletedAccountsTests {
    private static let ann = UserID("ann")
    private static let ben = UserID("ben")
    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// A database whose answers a test plans.
    private actor Table {
        var deletions: [UserID: Int] = [:]
        var isAway = false
        private(set) var asked: [Int] = []

        func put(_ user: UserID, _ deletedAt: Int) { deletions[user] = deletedAt }
        func goAway(_ away: Bool) { isAway = away }

        func read(since: Int) throws -> [UserID: Int] {
            asked.append(since)
            if isAway { throw PostgresError(.unavailable, "away") }
            return deletions.filter { $0.value >= since }
        }
    }

    private func accounts(_ table: Table, max: Int = 1_000) -> DeletedAccounts {
        DeletedAccounts(logger: Self.logger, accountsMax: max) { try await table.read(since: $0) }
    }

    @Test func refusesTokensIssuedUntilShortlyAfterTheDeletion() async {
        let table = Table()
        await table.put(Self.ann, 1_000_000)
        let accounts = accounts(table)
        #expect(!accounts.hasRead)
        await accounts.readOnce()
        #expect(accounts.hasRead)
        #expect(accounts.isDeleted(Self.ann, issuedAt: 900_000))
        #expect(accounts.isDeleted(Self.ann, issuedAt: 1_000_010))
        #expect(!accounts.isDeleted(Self.ann, issuedAt: 1_000_011))
        #expect(!accounts.isDeleted(Self.ben, issuedAt: 900_000))
    }

    @Test func aDeletionMadeHereHoldsAtOnceAndIsNotTakenBackByAnOlderReading() async {
        let table = Table()
        await table.put(Self.ann, 1_000_000)
        let accounts = accounts(table)
        accounts.note(Self.ann, at: 2_000_000)
        #expect(accounts.isDeleted(Self.ann, issuedAt: 1_999_999))
        await accounts.readOnce()
        #expect(accounts.isDeleted(Self.ann, issuedAt: 1_999_999))
    }

    @Test func keepsWhatItKnowsWhileTheDatabaseIsAway() async {
        let table = Table()
        await table.put(Self.ann, 1_000_000)
        let accounts = accounts(table)
        await accounts.readOnce()
        await table.goAway(true)
        await accounts.readOnce()
        #expect(accounts.isDeleted(Self.ann, issuedAt: 900_000))
        await table.put(Self.ben, 1_000_050)
        await table.goAway(false)
        await accounts.readOnce()
        #expect(accounts.isDeleted(Self.ben, issuedAt: 900_000))
    }

    /// Some deletions commit after others that bear a later time; one made here must not hide those made elsewhere.
    @Test func readsFromBeforeTheNewestItHasReadAndEverythingNowAndThen() async {
        let table = Table()
        await table.put(Self.ann, 1_000_000)
        let accounts = accounts(table)
        await accounts.readOnce()
        accounts.note(Self.ben, at: 5_000_000)
        for _ in 1..<DeletedAccounts.readingsPerFullOne { await accounts.readOnce() }
        await accounts.readOnce()
        let asked = await table.asked
        #expect(asked.count == DeletedAccounts.readingsPerFullOne + 1)
        #expect(asked.first == 0)
        #expect(asked.last == 0)
        #expect(asked.dropFirst().dropLast().allSatisfy { $0 == 1_000_000 - DeletedAccounts.overlap })
    }

    @Test func remembersABoundedNumberAndForgetsTheOldestFirst() async {
        let table = Table()
        for number in 0..<150 { await table.put(UserID("user-\(number)"), 1_000_000 + number) }
        let accounts = accounts(table, max: 100)
        await accounts.readOnce()
        #expect(accounts.count == 90)
        #expect(accounts.isDeleted(UserID("user-149"), issuedAt: 0))
        #expect(!accounts.isDeleted(UserID("user-0"), issuedAt: 0))
        for number in 150..<1_000 {
            accounts.note(UserID("user-\(number)"), at: 1_000_000 + number)
            #expect(accounts.count <= 100)
        }
        #expect(accounts.isDeleted(UserID("user-999"), issuedAt: 0))
        // Long before the newest: no token can be that old.
        accounts.note(UserID("later"), at: 1_000_999 + DeletedAccounts.memorySeconds)
        for number in 0..<100 { accounts.note(UserID("new-\(number)"), at: 1_001_000 + DeletedAccounts.memorySeconds) }
        #expect(!accounts.isDeleted(UserID("user-900"), issuedAt: 0))
    }

    @Test func learnsOfADeletionThatAnotherGatewayMadeAndEndsWhenAsked() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let store = AccountStore(pool: pool)
            let accounts = DeletedAccounts(logger: Self.logger) { try await store.deletions(since: $0) }
            let group = ServiceGroup(services: [accounts], logger: Self.logger)
            let running = Task { try await group.run() }
            try await eventually("it has read") { accounts.hasRead }
            let deletion = try await store.delete(Self.ann, tokenIssuedAt: 0)
            try await eventually("it knows") { accounts.isDeleted(Self.ann, issuedAt: deletion.deletedAt) }
            #expect(!accounts.isDeleted(Self.ann, issuedAt: deletion.deletedAt + 60))
            await group.triggerGracefulShutdown()
            try await running.value
        }
    }
}
