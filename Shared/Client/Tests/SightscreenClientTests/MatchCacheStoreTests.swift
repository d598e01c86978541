@testable import SightscreenClientTesting
import FoundationEssentials
import SightscreenModels
import TestSupport
import Testing

@testable import SightscreenClient

/// The layers of the match cache, hydration, and the time for which entries are fresh.
@MainActor
@Suite struct MatchCacheStoreTests {
    let today = ScheduleHarness.today
    static let now = ScheduleHarness.now

    private static func entry(
        _ day: UTCDay, _ statuses: MatchStatus..., fetchedAt: Int = ScheduleHarness.now
    ) -> CachedDay {
        let matches = statuses.enumerated().map { index, status in
            ScheduleHarness.match(Int64(day.number * 10 + index), status, on: day)
        }
        return CachedDay(day: day, matches: matches, fetchedAt: fetchedAt, retryAfterMs: 5_000, tag: "\"t\"")
    }

    // MARK: - Layer 1: memory

    @Test func memoryAnswersByDateAtOnce() throws {
        let harness = try ScheduleHarness()
        let entry = Self.entry(today, .live, .upcoming)
        harness.cache.keep(entry)
        // Without `await`, a view has the day in its first frame.
        #expect(harness.cache.schedule(on: today) == entry)
        #expect(harness.cache.match(entry.matches[1].id) == entry.matches[1])
        #expect(harness.cache.schedule(on: today + 1) == nil)
    }

    @Test func memoryHoldsTheWindowAndToday() throws {
        let harness = try ScheduleHarness()
        for offset in -50...50 { harness.cache.keep(Self.entry(today + offset, .completed)) }
        harness.cache.slide(to: (today + 10)...(today + 16))
        for offset in -50...50 { harness.cache.keep(Self.entry(today + offset, .completed)) }
        let days = (-50...50).filter { harness.cache.schedule(on: today + $0) != nil }
        #expect(days == [0] + Array(10...16))
        #expect(harness.cache.match(MatchID(Int64((today + 9).number * 10))) == nil)
        #expect(harness.cache.match(MatchID(Int64((today + 16).number * 10))) != nil)
    }

    @Test func aMatchThatIsMovedToAnotherDayIsFoundThere() throws {
        let harness = try ScheduleHarness()
        var entry = Self.entry(today, .upcoming)
        harness.cache.keep(entry)
        var moved = Self.entry(today + 1, .upcoming)
        moved.matches = entry.matches
        harness.cache.keep(moved)
        entry.matches = []
        harness.cache.keep(entry)
        #expect(harness.cache.match(moved.matches[0].id) == moved.matches[0])
    }

    @Test func theLiveListIsInMemoryOnly() async throws {
        let harness = try ScheduleHarness()
        harness.cache.keep(CachedLive(matches: [Sample.match()], fetchedAt: Self.now))
        #expect(harness.cache.live?.matches.count == 1)
        await harness.relaunch()
        #expect(harness.cache.live == nil)
        #expect(harness.files.list() == [])
    }

    // MARK: - Layer 2: disk

    @Test func diskSurvivesTheApp() async throws {
        let harness = try ScheduleHarness()
        let entry = Self.entry(today - 1, .completed)
        harness.cache.keep(entry)
        await harness.relaunch()
        #expect(harness.cache.schedule(on: today - 1) == nil)
        #expect(await harness.cache.storedSchedule(on: today - 1) == entry)
        #expect(harness.cache.schedule(on: today - 1) == entry, "from then on it is in memory")
    }

    @Test func anotherSchemaVersionDiscardsTheWholeDisk() async throws {
        let harness = try ScheduleHarness()
        for offset in -3...3 { harness.cache.keep(Self.entry(today + offset, .completed)) }
        await harness.cache.flush()
        #expect(harness.files.list().count == 8)
        await harness.relaunch(schemaVersion: MatchDiskCacheWrapper.schemaVersion + 1)
        await harness.cache.loadFromDisk()
        #expect(harness.cache.schedule(on: today) == nil)
        #expect(harness.files.list().map(\.name) == ["schema"])
        // The new cache works.
        harness.cache.keep(Self.entry(today, .live))
        await harness.relaunch(schemaVersion: MatchDiskCacheWrapper.schemaVersion + 1)
        #expect(await harness.cache.storedSchedule(on: today) != nil)
    }

    @Test func aDamagedFileIsAMiss() async throws {
        let harness = try ScheduleHarness()
        harness.cache.keep(Self.entry(today, .live))
        await harness.cache.flush()
        let good = try #require(harness.files.read("day-\(today)"))
        for length in stride(from: 0, to: good.count, by: 7) {
            try harness.files.write(Array(good.prefix(length)), to: "day-\(today)")
            await harness.relaunch()
            #expect(await harness.cache.storedSchedule(on: today) == nil)
        }
    }

    /// The files have a correct checksum and the wrong content.
    @Test(arguments: ["", "{}", "null", "[1]", "{\"day\":\"2027-02-30\"}", "{\"day\":\"2027-01-16\",\"matches\":[]}"])
    func aFileOfAnotherFormIsAMiss(_ json: String) async throws {
        let harness = try ScheduleHarness()
        harness.cache.keep(Self.entry(today, .live))
        await harness.cache.flush()
        let file = CacheFile(key: "day-\(today)", savedAt: 1, value: Array(json.utf8))
        try harness.files.write(file.bytes(schema: MatchDiskCacheWrapper.schemaVersion), to: "day-\(today)")
        await harness.relaunch()
        await harness.cache.loadFromDisk()
        #expect(harness.cache.schedule(on: today) == nil)
        #expect(harness.files.read("day-\(today)") == nil)
    }

    @Test func theNewestOfADayIsWhatIsOnDisk() async throws {
        let harness = try ScheduleHarness()
        for second in 0..<50 { harness.cache.keep(Self.entry(today - 1, .completed, fetchedAt: Self.now + second)) }
        await harness.relaunch()
        #expect(await harness.cache.storedSchedule(on: today - 1)?.fetchedAt == Self.now + 49)
    }

    @Test func aDayInPlayIsWrittenOnceAMinuteAndWhenPlayIsOver() async throws {
        let harness = try ScheduleHarness()
        var written: [Int] = []
        for second in stride(from: 0, through: 180, by: 5) {
            harness.cache.keep(Self.entry(today, .live, fetchedAt: Self.now + second))
            await harness.cache.flush()
            let onDisk = try #require(await MatchDiskCacheWrapper(files: harness.files).day(today)).fetchedAt - Self.now
            if written.last != onDisk { written.append(onDisk) }
        }
        #expect(written == [0, 60, 120, 180])
        harness.cache.keep(Self.entry(today, .completed, fetchedAt: Self.now + 185))
        await harness.cache.flush()
        #expect(await MatchDiskCacheWrapper(files: harness.files).day(today)?.matches[0].status == .completed)
    }

    @Test func aFullDiskIsNoTrouble() async throws {
        let files = InMemoryFileStore()
        files.setFull(true)
        let harness = try ScheduleHarness(files: files)
        harness.cache.keep(Self.entry(today, .live))
        await harness.cache.flush()
        #expect(harness.cache.schedule(on: today) != nil)
        await harness.relaunch()
        await harness.cache.loadFromDisk()
        #expect(harness.cache.schedule(on: today) == nil)
    }

    @Test func theDiskIsBounded() async throws {
        let harness = try ScheduleHarness()
        for offset in 0..<100 { harness.cache.keep(Self.entry(today + offset, .upcoming)) }
        await harness.cache.flush()
        #expect(harness.files.list().count <= MatchDiskCacheWrapper.limits.files + 1)
    }

    @Test func aRealFolderDoesTheSame() async throws {
        try await withTemporaryDirectory { folder in
            let files = DirectoryFileStore(path: folder.appending("matches"))
            let harness = try ScheduleHarness(files: files)
            let entries = (-3...3).map { Self.entry(today + $0, .completed, .live) }
            for entry in entries { harness.cache.keep(entry) }
            await harness.relaunch()
            await harness.cache.loadFromDisk()
            #expect((-3...3).map { harness.cache.schedule(on: today + $0) } == entries)
        }
    }

    // MARK: - Layer 3: the gateway

    @Test func theGatewayIsAskedOnlyWhenBothOthersMiss() async throws {
        let harness = try ScheduleHarness()
        let yesterday = today - 1
        await harness.gateway.set([ScheduleHarness.match(1, .completed, on: yesterday)], on: yesterday)
        let fetched = try await harness.service.fetchSchedule(for: yesterday)
        #expect(await harness.gateway.callCount == 1, "neither has it")
        #expect(try await harness.service.fetchSchedule(for: yesterday) == fetched)
        #expect(await harness.gateway.callCount == 1, "memory has it")
        await harness.relaunch()
        #expect(try await harness.service.fetchSchedule(for: yesterday) == fetched)
        #expect(await harness.gateway.callCount == 1, "the disk has it")
        await harness.cache.removeAll()
        #expect(harness.files.list() == [])
        #expect(try await harness.service.fetchSchedule(for: yesterday).matches == fetched.matches)
        #expect(await harness.gateway.callCount == 2)
    }

    // MARK: - Hydration on launch

    @Test func aLaunchShowsWhatIsOnDiskWithoutTheNetwork() async throws {
        let harness = try ScheduleHarness()
        for offset in -5...5 { harness.cache.keep(Self.entry(today + offset, .upcoming)) }
        await harness.gateway.setOffline(true)
        await harness.relaunch()
        await harness.cache.loadFromDisk()
        let source = ScheduleDataSource(service: harness.service, clock: harness.clock)
        #expect(source.data == Self.entry(today, .upcoming), "in the first frame")
        #expect((-5...5).filter { harness.cache.schedule(on: today + $0) != nil } == Array(-3...3))
        #expect(await harness.gateway.callCount == 0)
    }

    @Test func whatCameFromTheGatewayMeanwhileStays() async throws {
        let harness = try ScheduleHarness()
        harness.cache.keep(Self.entry(today, .upcoming))
        await harness.relaunch()
        let newer = Self.entry(today, .live, fetchedAt: Self.now + 60)
        harness.cache.keep(newer)
        await harness.cache.loadFromDisk()
        #expect(harness.cache.schedule(on: today) == newer)
    }

    // MARK: - TTL by state

    private func isFresh(_ entry: CachedDay, after seconds: Int) -> Bool {
        CacheRule().isFresh(entry, now: Self.now + seconds)
    }

    @Test func liveMatchesAreFreshForSeconds() {
        // The entry has a Test match that began yesterday.
        let entry = Self.entry(today - 1, .live, .completed)
        #expect(isFresh(entry, after: 4))
        #expect(!isFresh(entry, after: 5))
    }

    @Test func completedMatchesAreServedForADay() {
        let entry = Self.entry(today - 1, .completed, .completed)
        #expect(isFresh(entry, after: 86_399))
        #expect(!isFresh(entry, after: 86_400))
    }

    @Test func upcomingMatchesAreInBetween() {
        let entry = Self.entry(today + 1, .upcoming, .completed)
        #expect(isFresh(entry, after: 899))
        #expect(!isFresh(entry, after: 900))
    }

    @Test func todayIsNeverFresh() {
        for status in MatchStatus.allCases { #expect(!isFresh(Self.entry(today, status), after: 0)) }
        #expect(!isFresh(Self.entry(today), after: 0))
    }

    @Test func aDayWithoutMatchesIsAsSettledAsItsDate() {
        #expect(isFresh(Self.entry(today - 1), after: 80_000))
        #expect(isFresh(Self.entry(today + 1), after: 899))
        #expect(!isFresh(Self.entry(today + 1), after: 900))
        // The day was fetched before it was over, so a match may have been added since.
        #expect(!isFresh(Self.entry(today - 1, fetchedAt: today.startsAt - 1), after: 0))
        #expect(isFresh(Self.entry(today - 1, fetchedAt: today.startsAt), after: 0))
    }

    @Test func whatWasToldBeforeTheStartIsOldAfterIt() {
        // Yesterday's last match begins two minutes after the fetch, past midnight of another time zone.
        var entry = Self.entry(today - 1, .upcoming)
        entry.matches[0].startsAt = Self.now + 120
        #expect(isFresh(entry, after: 119))
        #expect(!isFresh(entry, after: 120))
        // A match that should have begun before the fetch is late, which is no reason to ask all the time.
        entry.matches[0].startsAt = Self.now - 120
        #expect(isFresh(entry, after: 60))
    }

    /// An evening that goes on past midnight, or a Test's second day, is on another date. The state of the match
    /// decides.
    @Test func aMatchInPlayOnAnotherDateIsNotSettled() {
        let yesterday = Self.entry(today - 1, .live, .completed)
        #expect(yesterday.isInPlay(now: Self.now))
        #expect(!isFresh(yesterday, after: 5))
        #expect(!Self.entry(today - 1, .completed).isInPlay(now: Self.now))
        var late = Self.entry(today - 1, .upcoming)
        late.matches[0].startsAt = Self.now
        #expect(late.isInPlay(now: Self.now) && late.isInPlay(now: Self.now + 86_399))
        #expect(!late.isInPlay(now: Self.now - 1) && !late.isInPlay(now: Self.now + 86_400))
        late.matches[0].startsAt = nil
        #expect(!late.isInPlay(now: Self.now))
    }

    @Test func aClockThatWasSetBackMakesNothingFresh() {
        #expect(!isFresh(Self.entry(today - 1, .completed), after: -1))
    }

    @Test func completedDaysAreNotAskedForAgainAndLiveOnesAre() async throws {
        let harness = try ScheduleHarness()
        let yesterday = today - 1
        await harness.gateway.set([ScheduleHarness.match(1, .live, on: yesterday)], on: yesterday)
        _ = try await harness.service.fetchSchedule(for: yesterday)
        harness.clock.advance(seconds: 10)
        await harness.gateway.set([ScheduleHarness.match(1, .completed, on: yesterday)], on: yesterday)
        #expect(try await harness.service.fetchSchedule(for: yesterday).matches[0].status == .completed)
        #expect(await harness.gateway.callCount == 2)
        harness.clock.advance(seconds: 40_000)
        _ = try await harness.service.fetchSchedule(for: yesterday)
        #expect(await harness.gateway.callCount == 2)
    }

    // MARK: - Coding

    /// A file as version 1 wrote it. When this test fails, earlier files would be read wrongly or not at all: raise
    /// `MatchDiskCacheWrapper.schemaVersion`, and freeze the new form here.
    @Test func theFormOfSchemaVersion1IsFrozen() throws {
        #expect(MatchDiskCacheWrapper.schemaVersion == 1)
        let json = """
            {"day":"2027-01-15","fetchedAt":1800000000,"matches":[{"away":{"abbr":"CSK","id":"2","name":\
            "Chennai Super Kings"},"competition":"Indian Premier League","displayState":{"compactLeading":{"score":"87/6",\
            "teamAbbr":"MI"},"compactTrailing":{"overs":"12.3","runRate":"6.96"},"expanded":{"batters":[{"name":\
            "Rohit Sharma","onStrike":true,"score":"45 (32)","strikeRate":"140.6"}],"bowler":{"economy":"7.71","figures":\
            "3.3-0-27-2","name":"Deepak Chahar"},"equation":"MI need 85 off 45","innings":[{"overs":"19.4","score":"171/10",\
            "teamAbbr":"CSK"},{"overs":"12.3","score":"87/6","teamAbbr":"MI"}],"lastEvent":{"kind":"wicket","text":\
            "Pollard c Dhoni b Chahar 12 (9)"},"recentBalls":["1","W","4","•","wd","6"],"requiredRunRate":"11.33",\
            "subtitle":"IPL · Match 12","target":"172","title":"MI v CSK"},"matchDisplayState":"live","matchSentiment":\
            "tense","schema":1,"version":1},"format":"T20","home":{"abbr":"MI","id":"6","name":"Mumbai Indians"},"id":\
            "1304076","leagueId":"1","round":"12th Match","startsAt":1799996400,"status":"live","venue":"Wankhede"}],\
            "retryAfterMs":5000,"tag":"\\"t\\""}
            """
        let entry = CachedDay(
            day: today, matches: [Sample.match()], fetchedAt: Self.now, retryAfterMs: 5_000, tag: "\"t\"")
        #expect(try JSONDecoder().decode(CachedDay.self, from: Data(json.utf8)) == entry)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        #expect(String(decoding: try encoder.encode(entry), as: UTF8.self) == json)
    }

    /// This compiles only as long as the conformance to Codable belongs to no actor.
    @Test nonisolated func codingBelongsToNoActor() async throws {
        let entry = CachedDay(day: UTCDay(number: 1), matches: [], fetchedAt: 0)
        let data = try await Task.detached { try JSONEncoder().encode(entry) }.value
        #expect(try JSONDecoder().decode(CachedDay.self, from: data) == entry)
    }

    // MARK: - The fake

    @Test func theFakeIsACacheWithoutADisk() async {
        let entry = Self.entry(today, .live)
        let fake: any MatchCacheStore = InMemoryMatchCacheStore(days: [entry])
        #expect(fake.schedule(on: today) == entry)
        #expect(fake.match(entry.matches[0].id) != nil)
        await fake.loadFromDisk()
        #expect(await fake.storedSchedule(on: today) == entry)
        await fake.removeAll()
        #expect(fake.schedule(on: today) == nil)
    }
}
