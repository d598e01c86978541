import SightscreenModels
import Testing

@testable import SightscreenClient

@Suite struct CardLayoutTests {
    private static func texts(_ layout: CardLayout) -> [String] {
        layout.rows.flatMap { ($0.leading + $0.trailing).map(\.text) }
    }

    private static func texts(_ state: ContentState, _ presentation: Presentation) -> [String] {
        texts(MatchCard(state: state, attributes: CardFixture.attributes, isStale: false).layout(presentation))
    }

    /// The limits of Apple's Human Interface Guidelines: Live Activities, Specifications.
    @Test(arguments: CardFixture.all, Presentation.allCases)
    private func noPresentationIsHigherOrWiderThanItsPlace(fixture: CardFixture, presentation: Presentation) {
        let (width, height): (Double, Double) =
            switch presentation {
            case .lockScreen, .standBy: (371, 160)
            case .expanded: (371, 160)
            case .compactLeading, .compactTrailing: (52.33, 36.67)
            case .minimal: (36.67, 36.67)
            case .small: (152, 69.5)
            }
        for isStale in [false, true] {
            let card = MatchCard(state: fixture.state, attributes: fixture.card.attributes, isStale: isStale)
            let layout = card.layout(presentation)
            #expect(layout.width <= width && layout.height <= height)
            let used = layout.rows.reduce(0) { $0 + $1.height + $1.gap }
            #expect(used + layout.marginAbove + layout.marginBelow <= layout.height + 0.01)
            #expect(!layout.rows.isEmpty)
            for row in layout.rows {
                let ends = [row.leading, row.trailing].map { end in
                    end.reduce(0) { $0 + $1.width } + end.dropFirst().reduce(0) { $0 + $1.space }
                }
                let room = layout.width - 2 * layout.margin
                #expect(ends[0] + ends[1] <= room + 0.01, "\(row)")
                if row.isBesideCamera { #expect(max(ends[0], ends[1]) <= (room - CardPlace.cameraWidth) / 2) }
            }
        }
    }

    @Test(arguments: CardFixture.all, [Presentation.lockScreen, .standBy, .expanded, .small])
    private func theScoreAndWhatJustHappenedAreAlwaysThere(fixture: CardFixture, presentation: Presentation) {
        for isStale in [false, true] {
            let layout = MatchCard(state: fixture.state, attributes: fixture.card.attributes, isStale: isStale).layout(
                presentation)
            let pieces = layout.rows.flatMap { $0.leading + $0.trailing }
            let score = fixture.state.compactLeading.score
            if !score.isEmpty {
                #expect(
                    pieces.contains { $0.role == .score && $0.text.contains(score.replacing("/10", with: "")) },
                    "\(Self.texts(layout))")
            }
            // Below a heading and the equation the Watch has no room for the last event.
            if presentation == .small, isStale || fixture.state.expanded.status != nil { continue }
            let expanded = fixture.state.expanded
            let heading = expanded.outcome?.text ?? expanded.status
            let event = expanded.lastEvent.flatMap {
                $0.kind.known == .matchResult || $0.text == heading ? nil : $0.text
            }
            let stand = expanded.partnership.flatMap { expanded.outcome != nil || $0.hasPrefix("0 ") ? nil : $0 }
            if let news = event ?? stand ?? expanded.lastWicket {
                let line = pieces.first { $0.role == .lastEvent }?.text ?? ""
                let shown = line.replacing("Out: ", with: "").replacing("Partnership ", with: "")
                let whole = shown.last == "…" ? String(shown.dropLast()) : shown
                #expect(!whole.isEmpty && news.hasPrefix(whole), "\(Self.texts(layout))")
            }
        }
    }

    /// The equation is why a fan looks at the Watch; the last event is also on television.
    @Test(arguments: CardFixture.all, [Presentation.lockScreen, .standBy, .expanded, .small])
    private func whatIsNeededIsThereUntilThereIsAResult(fixture: CardFixture, presentation: Presentation) {
        guard let equation = fixture.state.expanded.equation, fixture.state.matchDisplayState != .completed else {
            return
        }
        let shown = fixture.card.layout(presentation).rows.flatMap { $0.leading + $0.trailing }
            .filter { $0.role == .equation }.map { $0.text.replacing("…", with: "") }
        #expect(shown.count == 1 && shown.allSatisfy { equation.contains($0) }, "\(shown)")
    }

    /// "KKR need 218 off…" would leave out the number of balls.
    @Test func whatIsNeededIsNotCutOnTheWatch() {
        var state = CardFixture.all[0].state
        state.matchDisplayState = .inningsBreak
        state.compactLeading = .init(teamAbbr: "RR", score: "217/5")
        state.expanded.innings = [.init(teamAbbr: "RR", score: "217/5", overs: "20.0")]
        state.expanded.equation = "KKR need 218 off 120"
        state.expanded.status = "Innings break"
        let card = MatchCard(state: state, attributes: CardFixture.all[0].card.attributes, isStale: false)
        let texts = Self.texts(card.layout(.small))
        #expect(texts.contains("KKR need 218"), "\(texts)")
    }

    @Test(arguments: CardFixture.all, [Presentation.lockScreen, .standBy, .expanded, .small])
    private func aStaleCardAlwaysSaysSo(fixture: CardFixture, presentation: Presentation) {
        let layout = MatchCard(state: fixture.state, attributes: fixture.card.attributes, isStale: true).layout(
            presentation)
        #expect(Self.texts(layout).contains("Waiting for an update"), "\(Self.texts(layout))")
    }

    @Test(arguments: CardFixture.all, [Presentation.compactLeading, .minimal])
    private func theIslandHasTheScoreOrTheWinner(fixture: CardFixture, presentation: Presentation) {
        let layout = fixture.card.layout(presentation)
        let runs = fixture.state.compactLeading.score.prefix { $0 != "/" }
        let isResult = fixture.state.matchDisplayState == .completed
        if !runs.isEmpty, !isResult {
            #expect(Self.texts(layout).contains { $0.hasPrefix(runs) }, "\(Self.texts(layout))")
        }
        if fixture.state.expanded.outcome?.winnerAbbr != nil { #expect(Self.texts(layout).contains("won")) }
    }

    @Test(arguments: CardFixture.all, Presentation.allCases)
    private func allOutIsSaidAndNeverWrittenAsTenWickets(fixture: CardFixture, presentation: Presentation) {
        let texts = Self.texts(fixture.card.layout(presentation))
        #expect(!texts.contains { $0.contains("/10") })
        if presentation == .lockScreen, fixture.state.expanded.innings.contains(where: { $0.allOut == true }),
            fixture.name != "stumps"
        {
            #expect(texts.contains("all out"), "\(texts)")
        }
        #expect(!fixture.card.spoken.contains("/"))
    }

    @Test func aChaseSaysWhatIsNeededAlsoOnTheIsland() {
        #expect(Self.texts(CardFixture.chase(), .lockScreen).contains("need 85 off 45"))
        #expect(Self.texts(CardFixture.chase(), .compactTrailing) == ["need 85", "off 45"])
        #expect(Self.texts(CardFixture.chase(), .small).contains("need 85 off 45"))
        let early = CardFixture.chase { $0.expanded.equation = "MI need 128 off 120" }
        #expect(Self.texts(early, .compactTrailing) == ["128", "off 120"])
    }

    @Test func theLastSixBallsAreThereWithTheEndsOfOvers() {
        let texts = Self.texts(CardFixture.chase(), .lockScreen)
        let layout = MatchCard(state: CardFixture.chase(), attributes: CardFixture.attributes, isStale: false).layout(
            .lockScreen)
        let balls = layout.rows.flatMap(\.trailing).filter { $0.role == .ball || $0.role == .overEnd }
        #expect(balls.suffix(7).map(\.text) == ["W", "4", "|", "•", "wd", "6", "5lb"], "\(texts)")
        #expect(balls.first?.role == .ball)
    }

    @Test func oneMarkIsForTheStriker() {
        for presentation in [Presentation.lockScreen, .expanded, .standBy] {
            let row = MatchCard(state: CardFixture.chase(), attributes: CardFixture.attributes, isStale: false).layout(
                presentation
            )
            .rows
            .first { $0.leading.contains { $0.role == .striker } }
            let texts = row?.leading.map(\.text) ?? []
            #expect(texts == ["Rohit Sharma", "45 (32)", "Tim David", "*", "4 (3)"])
        }
    }

    @Test(arguments: Presentation.allCases)
    func theWinnerAndTheMarginLeadEveryPresentation(presentation: Presentation) {
        let won = CardFixture.completed(.init(winnerAbbr: "CSK", text: "won by 7 runs"), status: "CSK won by 7 runs")
        let layout = MatchCard(state: won, attributes: CardFixture.attributes, isStale: false).layout(presentation)
        switch presentation {
        case .compactLeading, .minimal: #expect(Self.texts(layout) == ["CSK", "won"])
        case .compactTrailing: #expect(Self.texts(layout) == ["by 7", "runs"])
        case .expanded:
            #expect(layout.rows[0].leading.map(\.text) == ["CSK", "won"])
            #expect(layout.rows[0].trailing.map(\.text) == ["by 7 runs"])
            #expect(Self.texts(layout).contains("171") && Self.texts(layout).contains("87/6"))
        default:
            let row = layout.rows.first { $0.leading.contains { $0.role == .heading } }
            #expect(row?.leading.map(\.text) == ["CSK", "won by 7 runs"])
            let teams = layout.rows.flatMap { $0.leading + $0.trailing }.filter { $0.role == .team }.map(\.text)
            #expect(teams.first == "CSK")
        }
    }

    @Test func aResultThatIsTooLongForTheCamerasSidesStandsWholeBelowIt() {
        let won = CardFixture.completed(
            .init(winnerAbbr: "CSK", text: "won in the second super over with a ball left"), status: "CSK won")
        let layout = MatchCard(state: won, attributes: CardFixture.attributes, isStale: false).layout(.expanded)
        #expect(layout.rows[0].leading.map(\.text) == ["CSK"] && layout.rows[0].trailing.map(\.text) == ["MI"])
        let heading = layout.rows.flatMap(\.leading).filter { $0.role == .heading }.map(\.text)
        #expect(heading.joined(separator: " ") == "won in the second super over with a ball left")
    }

    @Test(arguments: [Presentation.lockScreen, .standBy, .expanded])
    private func theMarksOfSidesHaveOneSize(presentation: Presentation) {
        for fixture in CardFixture.all {
            let marks = fixture.card.layout(presentation).rows.flatMap { $0.leading + $0.trailing }
                .filter { $0.shape == .chip }
            #expect(Set(marks.map(\.size)).count <= 1, "\(fixture.name)")
        }
    }

    @Test(arguments: [Presentation.lockScreen, .standBy, .expanded])
    func aTestInPlayHasBothInningsAndItsBatters(presentation: Presentation) throws {
        let test = try #require(CardFixture.all.first { $0.name == "Test" })
        let texts = Self.texts(test.state, presentation)
        #expect(texts.contains("446 & 112/3") && texts.contains("lead by 184"), "\(texts)")
        #expect(texts.contains("Rohit Sharma") && texts.contains("Tim David"), "\(texts)")
    }

    /// "16/2" alone would look like an innings that has just begun.
    @Test(arguments: [Presentation.lockScreen, .standBy, .expanded, .small])
    func bothInningsOfATestAreShown(presentation: Presentation) {
        let stumps = CardFixture.chase { state in
            state.compactLeading = .init(teamAbbr: "CSK", score: "16/2")
            state.expanded.innings = [
                .init(teamAbbr: "MI", score: "446", overs: "139.2", allOut: true),
                .init(teamAbbr: "CSK", score: "74", overs: "33.0", allOut: true),
                .init(teamAbbr: "CSK", score: "16/2", overs: "8.0"),
            ]
            state.expanded.session = "Day 2"
            state.expanded.equation = "CSK follow on, trail by 356"
            state.expanded.requiredRunRate = nil
        }
        for status in [nil, "Day 2: Stumps"] {
            var state = stumps
            state.expanded.status = status
            let texts = Self.texts(state, presentation)
            #expect(texts.contains("74 & 16/2"), "\(texts)")
            #expect(texts.contains { $0.hasSuffix("trail by 356") }, "\(texts)")
        }
        let won = CardFixture.completed(
            .init(winnerAbbr: "MI", text: "won by 5 wickets"), status: "MI won by 5 wickets")
        var state = stumps
        state.matchDisplayState = .completed
        state.expanded.equation = nil
        state.expanded.outcome = won.expanded.outcome
        let texts = Self.texts(state, presentation)
        #expect(texts.contains { $0.hasSuffix("74 & 16/2") } && texts.contains { $0.hasSuffix("446") }, "\(texts)")
    }

    @Test(arguments: CardFixture.all, Presentation.allCases)
    private func typeHasElevenPointsWhereItFits(fixture: CardFixture, presentation: Presentation) {
        guard !fixture.name.hasPrefix("longest") else { return }
        for piece in fixture.card.layout(presentation).rows.flatMap({ $0.leading + $0.trailing }) {
            // "12:00 PM" is wider than one side of the island.
            let isWide = piece.time != nil || presentation == .minimal && piece.text.count > 4
            #expect(piece.size >= (isWide ? 9 : 11), "\(piece.text)")
        }
    }

    @Test(arguments: ["Drinks", "Day 2: Stumps"], [Presentation.lockScreen, .standBy, .expanded])
    func whoIsInIsShownWhilePlayHasStopped(status: String, presentation: Presentation) {
        let pause = CardFixture.chase { $0.expanded.status = status }
        let texts = Self.texts(pause, presentation)
        #expect(texts.contains("Rohit Sharma") && texts.contains("45 (32)"), "\(texts)")
        #expect(!texts.contains("Deepak Chahar"), "\(texts)")
    }

    @Test func theWatchHasTheWholeTossAndAnInningsVictory() {
        func heading(_ state: ContentState) -> String {
            MatchCard(state: state, attributes: CardFixture.attributes, isStale: false).layout(.small).rows.flatMap(
                \.leading
            )
            .filter { $0.role == .heading }.map(\.text).joined(separator: " ")
        }
        let toss = CardFixture.before { $0.expanded.status = "Chennai Super Kings won the toss and chose to bat" }
        #expect(heading(toss) == "CSK won the toss and chose to bat")
        let innings = "won by an innings and 225 runs"
        #expect(
            heading(CardFixture.completed(.init(winnerAbbr: "CSK", text: innings), status: innings)) == "by inns & 225")
    }

    /// A server before `outcome` sends only the sentence.
    @Test func theWinnerOfAnOldServerIsReadFromItsSentence() {
        let old = CardFixture.completed(nil, status: "Chennai Super Kings won by 7 runs")
        #expect(Self.texts(old, .lockScreen).prefix(2) == ["CSK", "won by 7 runs"])
        #expect(Self.texts(old, .compactLeading) == ["CSK", "won"])
    }

    @Test func aReasonStandsAboveTheScore() {
        let rain = CardFixture.chase { state in
            state.matchDisplayState = .suspended
            state.expanded.status = "Rain stopped play"
        }
        let texts = Self.texts(rain, .lockScreen)
        #expect(texts[0] == "Rain stopped play" && texts.contains("87/6"))
        #expect(Self.texts(rain, .compactTrailing) == ["Rain"])
        #expect(Self.texts(rain, .compactLeading) == ["MI", "87/6"])
    }

    @Test(arguments: [Presentation.compactLeading, .compactTrailing, .minimal])
    func aMatchWithoutAResultSaysSoOnTheIsland(presentation: Presentation) throws {
        let abandoned = try #require(CardFixture.all.first { $0.name == "abandoned" })
        #expect(Self.texts(abandoned.state, presentation) == ["Aban-", "doned"])
    }

    /// "Play stopped" above and below the score would be a repetition.
    @Test func whatTheHeadingTellsIsNotToldAgain() {
        let rain = CardFixture.chase { state in
            state.matchDisplayState = .suspended
            state.expanded.status = "Rain stopped play"
            state.expanded.lastEvent = .init(kind: .suspended, ball: "12.3", text: "Rain stopped play")
        }
        let texts = Self.texts(rain, .lockScreen)
        #expect(texts.count { $0 == "Rain stopped play" } == 1)
        #expect(texts.contains("Pollard 12 (9) · 87/6 (12.3)"))
    }

    /// Without a label, "Pollard 12 (9)" would look like a batter who is in.
    @Test(arguments: [Presentation.lockScreen, .standBy, .expanded, .small])
    func aWicketOfBeforeSaysThatTheBatterIsOut(presentation: Presentation) {
        let texts = Self.texts(CardFixture.chase { $0.expanded.lastEvent = nil }, presentation)
        let wanted =
            presentation == .small ? ["Out: Pollard 12 (9)"] : ["Last wicket", "Pollard 12 (9) · 87/6 (12.3)"]
        #expect(texts.suffix(wanted.count) == wanted[...], "\(texts)")
    }

    /// Six balls after the last event nobody asks who was out before.
    @Test(arguments: [Presentation.lockScreen, .standBy, .expanded, .small])
    func whereNothingIsFreshThePartnershipLeads(presentation: Presentation) {
        let state = CardFixture.chase { state in
            state.expanded.lastEvent = nil
            state.expanded.partnership = "45 (32)"
        }
        let texts = Self.texts(state, presentation)
        let wanted = presentation == .small ? ["Partnership 45 (32)"] : ["Partnership", "45 (32)"]
        #expect(texts.suffix(wanted.count) == wanted[...], "\(texts)")
        #expect(!texts.contains { $0.contains("Pollard") })
        let spoken = MatchCard(state: state, attributes: CardFixture.attributes, isStale: false).spoken
        #expect(spoken.contains("Partnership: 45 off 32."), "\(spoken)")
    }

    @Test(arguments: Presentation.allCases)
    func whatAnInningsSetIsNotToldBesideWhatIsNeeded(presentation: Presentation) {
        for wicket in [nil, "Pollard 4 (3) · 5/1 (1.2)"] {
            let chase = CardFixture.chase { state in
                state.expanded.lastEvent = .init(kind: .inningsBreak, ball: "19.4", text: "CSK set MI 172 to win")
                state.expanded.lastWicket = wicket
            }
            let texts = Self.texts(chase, presentation)
            #expect(!texts.contains("19.4") && !texts.contains { $0.contains("set MI") }, "\(texts)")
            let isLarge = [.lockScreen, .standBy, .expanded].contains(presentation)
            if isLarge { #expect(texts.contains("Last wicket") == (wicket != nil), "\(texts)") }
        }
    }

    /// The event stays for six balls of the next innings, in which its ball is yet to be bowled.
    @Test func theEndOfAnInningsIsShownWithoutItsBall() {
        let tied = CardFixture.chase { state in
            state.expanded.equation = nil
            state.expanded.lastEvent = .init(kind: .inningsBreak, ball: "0.6", text: "Super over tied: MI 5/1 (1.0)")
        }
        let texts = Self.texts(tied, .lockScreen)
        #expect(texts.contains("Super over tied: MI 5/1 (1.0)") && !texts.contains("0.6"), "\(texts)")
    }

    @Test(arguments: Presentation.allCases)
    func aSentenceIsCutBetweenWords(presentation: Presentation) {
        let sentence = "SIX! Asalanka off Al Hasan over long-on, the longest of the day at the Gabba tonight"
        let rain = CardFixture.chase { state in
            state.expanded.status = "Rain stopped play and the umpires will inspect the outfield at seven"
            state.expanded.lastEvent = .init(kind: .six, ball: "16.5", text: sentence)
        }
        let words = Set((sentence + " " + (rain.expanded.status ?? "")).split { $0 == " " || $0 == "," })
        let layout = MatchCard(state: rain, attributes: CardFixture.attributes, isStale: false).layout(presentation)
        for piece in layout.rows.flatMap({ $0.leading + $0.trailing }) where piece.text.hasSuffix("…") {
            let last = piece.text.dropLast().split(separator: " ").last ?? ""
            #expect(words.contains(last), "\(piece.text)")
        }
    }

    @Test func aSentenceThatIsCutDoesNotEndWithALoneLetter() {
        #expect(Self.texts(CardFixture.chase(), .small).contains("Pollard c Dhoni…"))
    }

    /// The button takes no room from the rows: it is there when they leave some.
    @Test func aButtonHasRoomOnlyWhereTheRowsLeaveIt() {
        for fixture in CardFixture.all {
            for presentation in Presentation.allCases {
                let layout = fixture.card.layout(presentation)
                let isFree = [.lockScreen, .expanded].contains(presentation) && layout.height <= 140
                #expect(layout.hasRoomForButton == isFree, "\(fixture.name), \(presentation): \(layout.height)")
            }
        }
        let offered = CardFixture.all.filter { $0.card.layout(.expanded).hasRoomForButton }.map(\.name)
        #expect(offered.contains("before play") && offered.contains("chase") && offered.contains("won"), "\(offered)")
    }

    @Test func aShortNameOfASideIsNeverCut() {
        for presentation in [Presentation.lockScreen, .standBy, .expanded, .small] {
            for fixture in CardFixture.all where !fixture.name.hasPrefix("longest") {
                let marks = fixture.card.layout(presentation).rows.flatMap { $0.leading + $0.trailing }
                    .filter { $0.shape == .chip }.map(\.text)
                #expect(marks.allSatisfy { $0 == "MI" || $0 == "CSK" }, "\(fixture.name): \(marks)")
            }
        }
    }

    @Test func beforePlayTheSidesAndTheStartAreShown() {
        let layout = MatchCard(state: CardFixture.before { _ in }, attributes: CardFixture.attributes, isStale: false)
            .layout(
                .lockScreen)
        #expect(Self.texts(layout).contains("Mumbai Indians") && Self.texts(layout).contains("IPL · Match 12"))
        #expect(layout.rows.flatMap(\.trailing).contains { $0.time == 1_800_000_000 })
    }

    @Test func aTestHasBothInningsOfASideAndItsSession() {
        let test = CardFixture.all.first { $0.name == "Test" }
        let texts = test.map { Self.texts($0.state, .lockScreen) } ?? []
        #expect(
            texts.contains("446 & 112/3") && texts.contains("374")
                && texts.contains("Day 3 · Session 3"))
    }

    @Test func aSuperOverKeepsTheMatchBelowItsScore() {
        let sixth = CardFixture.all.first { $0.name == "sixth innings" }
        let texts = sixth.map { Self.texts($0.state, .lockScreen) } ?? []
        #expect(texts.contains("7/0") && texts.contains("11/1") && texts.first == "2nd super over", "\(texts)")
        #expect(!texts.contains("176/6 & 5/1 & 11/1"))
    }

    @Test func theFollowedSideStandsFirst() {
        var attributes = CardFixture.attributes
        attributes.followedTeamId = "2"
        let layout = MatchCard(state: CardFixture.chase(), attributes: attributes, isStale: false).layout(.lockScreen)
        #expect(layout.rows[0].leading[0].text == "CSK")
        #expect(MatchCard(state: CardFixture.chase(), attributes: attributes, isStale: false).tint == .teamText("CSK"))
        #expect(Self.texts(CardFixture.chase(), .lockScreen)[0] == "MI")
    }

    @Test func theWinnerStandsFirstAndTheTintStaysThatOfTheFollowedSide() {
        var attributes = CardFixture.attributes
        attributes.followedTeamId = "2"
        let won = CardFixture.completed(.init(winnerAbbr: "MI", text: "won by 3 wickets"), status: "")
        let card = MatchCard(state: won, attributes: attributes, isStale: false)
        #expect(card.layout(.lockScreen).rows[0].leading[0].text == "MI")
        #expect(card.tint == .teamText("CSK"))
        attributes.followedTeamId = nil
        #expect(MatchCard(state: won, attributes: attributes, isStale: false).tint == .teamText("MI"))
    }

    @Test func aStaleCardSaysSoAndNothingOnItStandsOut() {
        let layout = MatchCard(state: CardFixture.chase(), attributes: CardFixture.attributes, isStale: true).layout(
            .lockScreen)
        let pieces = layout.rows.flatMap { $0.leading + $0.trailing }
        #expect(pieces.contains { $0.role == .wait && $0.text == "Waiting for an update" })
        #expect(pieces.allSatisfy { $0.field != nil || $0.ink == .secondary || $0.ink == .wait })
    }

    /// VoiceOver's text is composed on the phone and contains the score.
    @Test(arguments: CardFixture.all)
    private func voiceOverNeverLeavesTheScoreOut(fixture: CardFixture) {
        let runs = fixture.state.compactLeading.score.prefix { $0 != "/" }
        #expect(fixture.card.spoken.contains(runs) && !fixture.card.spoken.isEmpty)
    }

    @Test func voiceOverSaysItAsACommentatorWould() {
        let spoken = MatchCard(state: CardFixture.chase(), attributes: CardFixture.attributes, isStale: false).spoken
        #expect(
            spoken
                == "Mumbai Indians 87 for 6 after 12.3 overs. Chennai Super Kings 171 all out. MI need 85 off 45 balls. "
                + "Ball 12.3: Pollard c Dhoni b Chahar 12 (9). Tim David on strike, 4 off 3.")
    }

    @Test func theHundredIsCountedInBalls() {
        var state = CardFixture.chase()
        for place in state.expanded.innings.indices { state.expanded.innings[place].overs = "73" }
        let card = MatchCard(state: state, attributes: CardFixture.attributes, isStale: false)
        #expect(card.spoken.hasPrefix("Mumbai Indians 87 for 6 after 73 balls."))
    }

    @Test func namesGetShorterBeforeTheyAreCut() {
        #expect(ShortName.forms("Rohit Sharma") == ["Rohit Sharma", "R Sharma", "Sharma"])
        #expect(ShortName.forms("MS Dhoni") == ["MS Dhoni", "MS Dhoni", "Dhoni"])
        #expect(ShortName.forms("Dhoni") == ["Dhoni"])
    }
}

@Suite struct CardPaletteTests {
    private static func light(_ colour: CardColour) -> Double {
        func linear(_ part: Double) -> Double { part <= 0.03928 ? part / 12.92 : power((part + 0.055) / 1.055) }
        return 0.2126 * linear(colour.red) + 0.7152 * linear(colour.green) + 0.0722 * linear(colour.blue)
    }

    /// Returns `base` to the power of 2.4: its square times the square of its fifth root.
    private static func power(_ base: Double) -> Double {
        var root = 1.0
        for _ in 0..<60 { root -= (root * root * root * root * root - base) / (5 * root * root * root * root) }
        return base * base * root * root
    }

    private static func contrast(_ one: CardColour, _ other: CardColour) -> Double {
        let (low, high) = (min(light(one), light(other)), max(light(one), light(other)))
        return (high + 0.05) / (low + 0.05)
    }

    private static let teams = TeamColours.known.keys.sorted() + (0..<40).map { "T\($0)" }

    private static func textContrast(_ appearance: CardAppearance) -> Double {
        appearance == .lightContrast || appearance == .darkContrast ? 7 : 4.5
    }

    @Test(arguments: CardAppearance.allCases)
    func everyTextCanBeReadOnTheCard(appearance: CardAppearance) {
        let wanted = Self.textContrast(appearance)
        let card = CardPalette.colour(.background, appearance)
        for ink in [CardInk.primary, .secondary, .need, .fine, .wicket, .wait] + Self.teams.map(CardInk.teamText) {
            #expect(Self.contrast(CardPalette.colour(ink, appearance), card) >= wanted, "\(ink.rawValue)")
        }
    }

    @Test(arguments: CardAppearance.allCases)
    func everyTextCanBeReadOnItsField(appearance: CardAppearance) {
        let pairs: [(CardInk, CardInk)] =
            [(.onPlainBall, .plainBall), (.onFour, .four), (.onSix, .six), (.onWicketBall, .wicketBall)]
            + Self.teams.map { (.onTeam($0), .team($0)) }
        for (ink, field) in pairs {
            #expect(
                Self.contrast(CardPalette.colour(ink, appearance), CardPalette.colour(field, appearance))
                    >= Self.textContrast(appearance), "\(ink.rawValue)")
        }
    }

    /// The contrast is what the web's accessibility guidelines require for content other than text.
    @Test(arguments: CardAppearance.allCases)
    func theBallsThatCountStandOutFromTheCard(appearance: CardAppearance) {
        let card = CardPalette.colour(.background, appearance)
        for ink in [CardInk.four, .six, .wicketBall] {
            #expect(Self.contrast(CardPalette.colour(ink, appearance), card) >= 3, "\(ink.rawValue)")
        }
    }

    @Test func aSideHasOneColourEverywhere() {
        #expect(CardPalette.colours(of: "mi") == CardPalette.colours(of: "MI"))
        #expect(CardPalette.colours(of: "USA") == CardPalette.colours(of: "USA"))
        #expect(CardPalette.colour(.team("CSK"), .light).hex == "#F6C417")
    }
}

@Suite struct TextWidthTests {
    @Test func figuresAreAllAsWide() {
        #expect(TextWidth.of("11111", size: 20, weight: .bold) == TextWidth.of("00000", size: 20, weight: .bold))
    }

    @Test func whatTheTableDoesNotHaveIsTakenForWide() {
        #expect(TextWidth.of("क", size: 10, weight: .regular) >= 10)
        #expect(TextWidth.of("🏏", size: 10, weight: .regular) >= 14)
        #expect(TextWidth.of("é", size: 10, weight: .regular) == TextWidth.of("e", size: 10, weight: .regular))
    }
}
