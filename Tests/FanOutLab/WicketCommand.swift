import Reactor
import APNsProtocol
import Activities
import ArgumentParser
import FanOut
import FoundationEssentials
import HTTP2
import LACoordinator
import Messages
import ServiceKit
import SightscreenModels
import Store

/// The engine with all its books: a wicket to all phones of one match.
struct WicketCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wicket", abstract: "Brings an ordinary ball and then a wicket to many phones.")

    @Option(help: "Where to.") var host = "localhost"
    @Option(help: "Its port.") var port: Int
    @Option(name: .customLong("ca"), help: "PEM file with the root to trust.") var caFile: String
    @Option(help: "Phones.") var phones = 100_000
    @Option(help: "Phones of another match, to which a routine ball is under way when the wicket falls.") var beside = 0
    @Option(help: "Connections; without it what the engine chooses.") var connections: Int?
    @Option(help: "Streams under way on each.") var streams = 1_000
    @Option(help: "Threads.") var threads = 1
    @Option(help: "The .p8 file that the provider token is signed with; without it the token is no good.")
    var key: String?
    @Option(help: "Its key id.") var keyID = "KEYID00001"
    @Option(help: "Its team.") var teamID = "TEAMID0001"
    @Option(help: "The app.") var bundleID = "dev.sightscreen.app"

    static let match = MatchID(1_304_076)
    private static let other = MatchID(1_304_077)

    mutating func run() async throws {
        let origin = HTTP2Origin(host: host, port: port)
        let stalls = StallDetector()
        // There is no table to read.
        let heartbeat = Heartbeat(stalls) {
            for reading in StallDetector.Reading.allCases { stalls.noteRead(reading, since: stalls.mark()) }
        }
        await heartbeat.start()
        let reports = AsyncStream.makeStream(of: FanOutReport.self)
        let matchHolds = MatchHolds()
        _ = matchHolds.apply(Holds())
        let fanOut = FanOutLoops(
            FanOutLoops.Settings(
                origins: [.production: origin], tls: try TLSConfiguration.client(caFile: caFile).makeContext(),
                bundleID: bundleID, threads: threads, connections: connections, streams: streams),
            matchHolds: matchHolds, report: { reports.continuation.yield($1) })
        await fanOut.open()
        let answering = Task { await Self.answer(reports.stream, fanOut) }
        let booking = Task { await Self.keepBooks(of: fanOut) }
        let before = Self.residentBytes
        try await prepare(fanOut, stalls)
        let roster = Double(Self.residentBytes - before) / Double(phones + beside)
        let ball = await measure(fanOut, version: 1, alert: nil)
        let wicket = await measure(fanOut, version: 2, alert: Self.wicket)
        let overtaking = beside > 0 ? await overtake(fanOut) : "null"
        answering.cancel()
        booking.cancel()
        await heartbeat.stop()
        let made = await fanOut.onEach { $0.connections }.reduce(0, +)
        await fanOut.close()
        print(
            """
            {"phones":\(phones),"rosterBytes":\(roster.rounded()),"peakMiB":\(Self.residentBytes / 1_048_576),\
            "connections":\(made),"ball":\(ball),"wicket":\(wicket),\
            "overtaking":\(overtaking)}
            """)
    }

    private func prepare(_ fanOut: FanOutLoops, _ stalls: StallDetector) async throws {
        let now = Date.now.timeIntervalSince1970
        await fanOut.onEach { $0.clock = DatabaseClock(seconds: now) }
        let authorization = try LabPush.authorization(keyFile: key, keyID: keyID, teamID: teamID)
        await fanOut.onEach {
            $0.authorization = ProviderAuthorization(token: String(authorization.dropFirst("bearer ".count)), serial: 1)
        }
        for shard in 0..<DeviceRoute.shardCount {
            let trust = ShardTrust(stalls, epoch: 1)
            trust.extend(to: .now + .seconds(3_600))
            await fanOut.on(shard) { $0.acquire(shard, trust, isComplete: true) }
        }
        for first in stride(from: 0, to: phones + beside, by: 10_000) {
            await fanOut.add(
                (first..<min(first + 10_000, phones + beside)).map { number in
                    let (user, device) = (UserID("user-\(number)"), DeviceID("phone-\(number)"))
                    return RosterEntry(
                        key: RosterKey(user: user, device: device, generation: 1),
                        match: number < phones ? Self.match : Self.other,
                        shard: DeviceRoute(user: user, device: device).shard, environment: .production,
                        token: LabTokens.of(number), tokenAt: now - 3_600, delivered: Stamp(1), isNew: false,
                        level: .all
                    )
                })
        }
    }

    /// An alert is known by its words, so each has others.
    private static var wicket: MatchAlert {
        let now = Int(Date.now.timeIntervalSince1970)
        return MatchAlert(
            title: "Wicket! Pollard c Dhoni b Chahar 12 (9)", body: "MI 87/6 (12.3) \(now)", kind: .wicket, value: nil,
            sound: true, eventAt: now)
    }

    private static func update(_ match: MatchID, _ version: Int, _ alert: MatchAlert? = nil) -> MatchUpdate {
        MatchUpdate(
            matchID: match, version: MatchVersion(version), stamp: Stamp(Int(Date.now.timeIntervalSince1970)),
            contentState: LabState.live, priority: alert == nil ? 5 : 10, alert: alert, relevance: 50)
    }

    /// A routine ball of both matches is under way to a fifth of their phones when the wicket falls.
    private func overtake(_ fanOut: FanOutLoops) async -> String {
        await fanOut.onEach { $0.clock = DatabaseClock(seconds: Date.now.timeIntervalSince1970) }
        // Stamps are whole seconds, and must grow.
        try? await Task.sleep(for: .seconds(1))
        await fanOut.publish([Self.update(Self.match, 3), Self.update(Self.other, 1)])
        while await fanOut.progress([Self.other])[0].accepted + fanOut.progress([Self.match])[0].accepted
            < (phones + beside) / 5
        {
            try? await Task.sleep(for: .milliseconds(2))
        }
        let routine = await fanOut.progress([Self.match])[0].accepted
        let besideBefore = await fanOut.progress([Self.other])[0].accepted
        let result = await measure(fanOut, version: 4, alert: Self.wicket)
        let besideAfter = await fanOut.progress([Self.other])[0].accepted
        return """
            {"routineBefore":\(routine),"besideBefore":\(besideBefore),"besideMeanwhile":\(besideAfter - besideBefore),\
            "wicket":\(result)}
            """
    }

    private func measure(_ fanOut: FanOutLoops, version: Int, alert: MatchAlert?) async -> String {
        await fanOut.onEach { $0.clock = DatabaseClock(seconds: Date.now.timeIntervalSince1970) }
        // Stamps are whole seconds, and must grow.
        try? await Task.sleep(for: .seconds(1))
        let update = Self.update(Self.match, version, alert)
        let processor = SendCommand.processorNanoseconds
        let begun = MonotonicTime.now
        await fanOut.publish([update])
        var progress = await fanOut.progress([Self.match])[0]
        while progress.accepted < phones, MonotonicTime.now - begun < 600_000_000_000 {
            try? await Task.sleep(for: .milliseconds(5))
            progress = await fanOut.progress([Self.match])[0]
        }
        let spent = Double(SendCommand.processorNanoseconds - processor) / 1e9
        let first = Double(progress.firstAcceptedAt - begun) / 1e9
        let last = Double(progress.lastAcceptedAt - begun) / 1e9
        return """
            {"accepted":\(progress.accepted),"alerted":\(progress.alerted),"sent":\(progress.sent),\
            "failed":\(progress.failed.values.reduce(0, +)),"firstSeconds":\(first),"lastSeconds":\(last),\
            "perSecond":\((Double(progress.accepted) / last).rounded()),"processorSeconds":\(spent),\
            "microseconds":\(spent * 1e6 / Double(max(1, progress.accepted)))}
            """
    }

    /// What the coordinator asks its loops in each pass. What it writes down then is one row for each shard that has
    /// settled and one for the match: a database's work.
    private static func keepBooks(of fanOut: FanOutLoops) async {
        while !Task.isCancelled {
            _ = await (fanOut.onEach { $0.settled() }, fanOut.onEach { $0.takeCounts() }, fanOut.progress([match])[0])
            try? await Task.sleep(for: LACoordinator.interval)
        }
    }

    /// As the coordinator does, without a database.
    private static func answer(_ reports: AsyncStream<FanOutReport>, _ fanOut: FanOutLoops) async {
        for await report in reports {
            switch report {
            case .claim(let match, let version, let shards):
                await fanOut.onEach { $0.claimed(match, version, shards, gained: Set(shards.keys)) }
            case .stamp(let match): await fanOut.onEach { $0.takeFresh(nil, of: match) }
            case .drained, .closed: break
            case .dead, .rejectedEnds, .lostAlerts, .expiredToken, .tooManyTokens, .refused, .channelThrottled,
                .channelGone, .broadcastOff:
                print(report)
            }
        }
    }

    static var residentBytes: Int {
        let text = (try? String(contentsOf: URL(fileURLWithPath: "/proc/self/statm"), encoding: .utf8)) ?? ""
        return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4_096
    }
}

enum LabState {
    /// A chase in its thirteenth over.
    static let live = ContentState(
        version: 118, matchDisplayState: .live, matchSentiment: .tense,
        compactLeading: .init(teamAbbr: "MI", score: "87/6"), compactTrailing: .init(overs: "12.3", runRate: "6.96"),
        minimal: .init(teamAbbr: "MI", score: "87/6"),
        expanded: .init(
            title: "MI v CSK", subtitle: "IPL · Match 12",
            innings: [
                .init(teamAbbr: "CSK", score: "171/10", overs: "19.4"),
                .init(teamAbbr: "MI", score: "87/6", overs: "12.3"),
            ], batters: [.init(name: "Rohit Sharma", score: "45 (32)", strikeRate: "140.6", onStrike: true)],
            bowler: .init(name: "Deepak Chahar", figures: "3.3-0-27-2", economy: "7.71"),
            recentBalls: ["1", "W", "4", "•", "wd", "6"], target: "172", requiredRunRate: "11.33",
            equation: "MI need 85 off 45",
            lastEvent: .init(kind: .wicket, text: "Pollard c Dhoni b Chahar 12 (9)"), status: nil))
}
