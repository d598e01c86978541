import APNsProtocol
import Cricket
import FoundationEssentials
import SightscreenModels

/// Says what is wrong with an encoded payload, judged by its bytes alone against what it was made from.
struct PayloadCheck {
    private let payload: LiveActivityPayload
    private let push: PushPayload
    private(set) var faults: [String] = []

    /// The bytes as a phone reads them.
    private struct Push: Codable {
        struct APS: Codable {
            struct Alert: Codable {
                var title: String
                var body: String
                var sound: String?
            }

            var timestamp: Stamp
            var event: LiveActivityEvent
            var contentState: ContentState
            var staleDate: Int?
            var relevanceScore: Double?
            var dismissalDate: Int?
            var alert: Alert?
            var attributesType: String?
            var attributes: LiveActivityAttributes?
            var inputPushToken: Int?

            enum CodingKeys: String, CodingKey {
                case timestamp, event, alert, attributes
                case contentState = "content-state"
                case staleDate = "stale-date"
                case relevanceScore = "relevance-score"
                case dismissalDate = "dismissal-date"
                case attributesType = "attributes-type"
                case inputPushToken = "input-push-token"
            }
        }

        var aps: APS
    }

    init(_ payload: LiveActivityPayload, _ push: PushPayload) {
        self.payload = payload
        self.push = push
        let shown: Push
        do { shown = try JSONDecoder().decode(Push.self, from: Data(push.bytes)) } catch {
            faults.append("does not decode: \(error)")
            return
        }
        checkReleased()
        checkSize()
        checkOrder()
        checkState(shown.aps.contentState)
        checkRest(shown.aps)
    }

    private func cut(_ cuts: PayloadCut...) -> Bool { push.cuts.contains(where: cuts.contains) }

    private mutating func expect(_ holds: Bool, _ fault: String) {
        if !holds { faults.append(fault) }
    }

    // MARK: - Apps of earlier releases

    /// A push as a released app reads it.
    private struct Released<State: Decodable>: Decodable {
        struct APS: Decodable {
            var state: State
            enum CodingKeys: String, CodingKey { case state = "content-state" }
        }

        var aps: APS
    }

    private mutating func checkReleased() {
        do {
            let old = try JSONDecoder().decode(Released<FrozenContentState.Release1>.self, from: Data(push.bytes)).aps
                .state
            expect(old.version == payload.contentState.version, "release 1 reads another version")
        } catch {
            faults.append("release 1 cannot decode it: \(error)")
        }
    }

    // MARK: - Size and order

    private mutating func checkSize() {
        expect(push.bytes.count <= PushPayload.bytesMax, "too large")
        let limit = payload.isRoutine ? PushPayload.routineBytesAim : PushPayload.bytesMax
        let whole = wholeBytes()
        if whole.count <= limit {
            expect(push.cuts.isEmpty && push.bytes == whole, "cut although it fits")
        } else {
            expect(push.bytes.count < whole.count || (payload.isRoutine && push.cuts.isEmpty), "too long and not cut")
        }
        // Beyond the aim only what would not fit at all is cut.
        if let last = push.cuts.last, !last.servesAim {
            expect(whole.count > PushPayload.bytesMax, "cut beyond the aim although it fits")
        }
        if payload.isRoutine, push.bytes.count > PushPayload.routineBytesAim {
            for cut in PayloadCut.allCases where cut.servesAim { expectTaken(cut) }
        }
    }

    /// What the payload is without any cut, encoded by this file rather than by the one under test.
    private func wholeBytes() -> [UInt8] {
        let alert = payload.alert.map {
            Push.APS.Alert(title: $0.title, body: $0.body, sound: $0.sound ? "default" : nil)
        }
        let whole = Push(
            aps: Push.APS(
                timestamp: payload.stamp, event: payload.event, contentState: payload.contentState,
                staleDate: payload.staleAt, relevanceScore: payload.relevance, dismissalDate: payload.dismissAt,
                alert: alert, attributesType: payload.start?.attributesType, attributes: payload.start?.attributes,
                inputPushToken: payload.start.map { _ in 1 }))
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(whole)).map { [UInt8]($0) } ?? []
    }

    private mutating func checkOrder() {
        expect(zip(push.cuts, push.cuts.dropFirst()).allSatisfy(<), "cuts out of order")
        guard let last = push.cuts.last else { return }
        for earlier in PayloadCut.allCases where earlier < last { expectTaken(earlier) }
    }

    /// A cut that was passed over had nothing to do.
    private mutating func expectTaken(_ passed: PayloadCut) {
        guard !push.cuts.contains(passed) else { return }
        let state = payload.contentState
        let expanded = state.expanded
        let hadNothing =
            switch passed {
            case .logos: payload.start?.attributes.homeLogo == nil && payload.start?.attributes.awayLogo == nil
            case .target: expanded.target == nil || expanded.equation == nil
            case .title: expanded.title.isEmpty
            case .minimal: state.minimal != state.compactLeading
            case .playerRates:
                expanded.batters.allSatisfy(\.strikeRate.isEmpty) && expanded.bowler?.economy.isEmpty ?? true
            case .runRates:
                state.compactTrailing.runRate.isEmpty && (expanded.requiredRunRate == nil || expanded.equation == nil)
            case .recentBalls: Self.balls(expanded.recentBalls) <= PayloadCut.recentBallsKept
            case .olderBalls: Self.balls(expanded.recentBalls) <= PayloadCut.newestBallsKept
            case .subtitle: !expanded.subtitle.dropFirst().contains(" · ")
            case .standing: expanded.partnership == nil && expanded.session == nil
            case .names: Self.competition(expanded.subtitle).utf8.count <= 48
            case .lists: expanded.batters.count <= 2 && expanded.innings.count <= 4
            case .sentences: (expanded.status?.utf8.count ?? 0) <= 96 && (payload.alert?.title.utf8.count ?? 0) <= 64
            case .lastWicket: expanded.lastWicket == nil
            case .lastEvent: expanded.lastEvent == nil
            case .equation: expanded.equation == nil && expanded.requiredRunRate == nil
            case .bowler: expanded.bowler == nil
            case .play: expanded.recentBalls.isEmpty && expanded.batters.isEmpty
            case .everything: true
            }
        if !hadNothing { faults.append("\(passed) was passed over") }
    }

    // MARK: - Texts

    private mutating func checkState(_ shown: ContentState) {
        let whole = payload.contentState
        expect(shown.schema == whole.schema && shown.version == whole.version, "schema or version")
        expect(shown.matchDisplayState.rawValue == whole.matchDisplayState.rawValue, "matchDisplayState")
        expect(shown.matchSentiment.rawValue == whole.matchSentiment.rawValue, "matchSentiment")
        let all = cut(.everything)
        text(whole.compactLeading.teamAbbr, shown.compactLeading.teamAbbr, all, "compactLeading.teamAbbr")
        text(whole.compactLeading.score, shown.compactLeading.score, all, "compactLeading.score")
        text(whole.compactTrailing.overs, shown.compactTrailing.overs, all, "compactTrailing.overs")
        let rate = cut(.runRates) ? "" : whole.compactTrailing.runRate
        text(rate, shown.compactTrailing.runRate, all, "compactTrailing.runRate")
        let noMinimal = all || (cut(.minimal) && whole.minimal == whole.compactLeading)
        expect(shown.minimal == (noMinimal ? nil : whole.minimal), "minimal")
        checkExpanded(shown.expanded)
    }

    private mutating func checkExpanded(_ shown: ContentState.Expanded) {
        let whole = payload.contentState.expanded
        let names = cut(.names, .everything)
        text(cut(.title) ? "" : whole.title, shown.title, names, "title")
        subtitle(whole.subtitle, shown.subtitle)
        innings(whole.innings, shown.innings)
        batters(whole.batters, shown.batters)
        if cut(.bowler) {
            expect(shown.bowler == nil, "bowler is left")
        } else {
            expect((shown.bowler == nil) == (whole.bowler == nil), "bowler is lost")
            text(whole.bowler?.name, shown.bowler?.name, names, "bowler.name")
            expect(shown.bowler?.figures == whole.bowler?.figures, "bowler.figures")
            expect(shown.bowler?.economy == whole.bowler.map { cut(.playerRates) ? "" : $0.economy }, "bowler.economy")
        }
        balls(whole.recentBalls, shown.recentBalls)
        let isAlone = whole.equation == nil
        let noTarget = cut(.everything) || (cut(.target) && !isAlone)
        expect(shown.target == (noTarget ? nil : whole.target), "target")
        let noRate = cut(.equation) || (cut(.runRates) && !isAlone)
        expect(shown.requiredRunRate == (noRate ? nil : whole.requiredRunRate), "requiredRunRate")
        let sentences = cut(.sentences)
        text(cut(.equation) ? nil : whole.equation, shown.equation, sentences, "equation")
        text(cut(.lastWicket) ? nil : whole.lastWicket, shown.lastWicket, sentences, "lastWicket")
        let lastEvent = cut(.lastEvent) ? nil : whole.lastEvent
        text(lastEvent?.text, shown.lastEvent?.text, sentences, "lastEvent.text")
        expect(shown.lastEvent?.kind == lastEvent?.kind && shown.lastEvent?.ball == lastEvent?.ball, "lastEvent")
        expect(shown.partnership == (cut(.standing) ? nil : whole.partnership), "partnership")
        expect(shown.session == (cut(.standing) ? nil : whole.session), "session")
        text(whole.outcome?.text, shown.outcome?.text, cut(.sentences, .everything), "outcome.text")
        text(whole.outcome?.winnerAbbr, shown.outcome?.winnerAbbr, cut(.everything), "outcome.winnerAbbr")
        text(cut(.everything) ? nil : whole.status, shown.status, sentences, "status")
    }

    private static func balls(_ recent: [String]) -> Int { recent.count { $0 != "|" } }

    /// The newest so many, whatever marks stand between them; none in front of them where older ones went.
    private mutating func balls(_ whole: [String], _ shown: [String]) {
        let kept = cut(.olderBalls) ? PayloadCut.newestBallsKept : cut(.recentBalls) ? PayloadCut.recentBallsKept : .max
        if cut(.play) { return expect(shown.isEmpty, "recentBalls are left") }
        if Self.balls(whole) <= kept { return expect(shown == whole, "recentBalls") }
        expect(Self.balls(shown) == kept && shown.first != "|" && shown == whole.suffix(shown.count), "recentBalls")
    }

    private mutating func innings(_ whole: [ContentState.Innings], _ shown: [ContentState.Innings]) {
        let all = cut(.everything)
        let kept = Array(whole.suffix(all ? 2 : cut(.lists) ? 4 : .max))
        guard kept.count == shown.count else { return faults.append("innings: \(shown.count) of \(kept.count)") }
        for (one, other) in zip(kept, shown) {
            text(one.teamAbbr, other.teamAbbr, all, "innings.teamAbbr")
            text(one.score, other.score, all, "innings.score")
            text(one.overs, other.overs, all, "innings.overs")
            expect(one.allOut == other.allOut, "innings.allOut")
        }
    }

    private mutating func batters(_ whole: [ContentState.Batter], _ shown: [ContentState.Batter]) {
        let kept = Array(whole.prefix(cut(.play) ? 0 : cut(.lists) ? 2 : .max))
        guard kept.count == shown.count else { return faults.append("batters: \(shown.count) of \(kept.count)") }
        for (one, other) in zip(kept, shown) {
            text(one.name, other.name, cut(.names, .everything), "batter.name")
            expect(one.score == other.score, "batter.score")
            expect(other.strikeRate == (cut(.playerRates) ? "" : one.strikeRate), "batter.strikeRate")
            expect(one.onStrike == other.onStrike, "batter.onStrike")
        }
    }

    private mutating func checkRest(_ shown: Push.APS) {
        expect(shown.timestamp == payload.stamp && shown.event == payload.event, "timestamp or event")
        expect(shown.staleDate == payload.staleAt && shown.dismissalDate == payload.dismissAt, "dates")
        expect(shown.relevanceScore == payload.relevance, "relevance-score")
        expect((shown.alert == nil) == (payload.alert == nil), "alert is lost")
        let sentences = cut(.sentences, .everything)
        text(payload.alert?.title, shown.alert?.title, sentences, "alert.title")
        text(payload.alert?.body, shown.alert?.body, sentences, "alert.body")
        expect(shown.alert?.sound == (payload.alert?.sound == true ? "default" : nil), "alert.sound")
        expect(shown.attributesType == payload.start?.attributesType, "attributes-type")
        expect(shown.inputPushToken == (payload.start == nil ? nil : 1), "input-push-token")
        let (whole, names) = (payload.start?.attributes, cut(.names, .everything))
        expect(shown.attributes?.matchId == whole?.matchId && shown.attributes?.startId == whole?.startId, "ids")
        let logos = [whole?.homeLogo, whole?.awayLogo].map { cut(.logos) ? nil : $0 }
        expect([shown.attributes?.homeLogo, shown.attributes?.awayLogo] == logos, "logos")
        text(whole?.homeTeam, shown.attributes?.homeTeam, names, "homeTeam")
        text(whole?.awayTeam, shown.attributes?.awayTeam, names, "awayTeam")
        text(whole?.homeAbbr, shown.attributes?.homeAbbr, names, "homeAbbr")
        text(whole?.awayAbbr, shown.attributes?.awayAbbr, names, "awayAbbr")
        text(whole?.competition, shown.attributes?.competition, names, "competition")
    }

    /// `shown` is `whole`, or, where it may be shortened, whole characters of its beginning and "…".
    private mutating func text(_ whole: String?, _ shown: String?, _ mayBeShorter: Bool, _ key: String) {
        guard let whole, let shown else { return expect(whole == nil && shown == nil, "\(key) came or went") }
        if shown.unicodeScalars.elementsEqual(whole.unicodeScalars) { return }
        guard mayBeShorter, shown.unicodeScalars.last == "…" else { return faults.append("\(key) is another") }
        expect(Self.isBegun(whole, by: shown.unicodeScalars.dropLast()), "\(key) is cut inside a character")
    }

    /// "IPL" of "IPL · Match 12", where it may be.
    private mutating func subtitle(_ whole: String, _ shown: String) {
        text(cut(.subtitle) ? Self.competition(whole) : whole, shown, cut(.names, .everything), "subtitle")
    }

    private static func competition(_ subtitle: String) -> String {
        String(subtitle[..<(subtitle.ranges(of: " · ").first?.lowerBound ?? subtitle.endIndex)])
    }

    /// Whether `head` is the beginning of `whole` up to a boundary between characters.
    private static func isBegun(_ whole: String, by head: Substring.UnicodeScalarView) -> Bool {
        guard whole.unicodeScalars.starts(with: head) else { return false }
        let end = whole.unicodeScalars.index(whole.startIndex, offsetBy: head.count)
        return end.samePosition(in: whole) != nil
    }
}
