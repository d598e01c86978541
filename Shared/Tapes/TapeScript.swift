/// Lays out the frames of a match: their content, order and times.
///
/// Cricsheet has neither a clock nor breaks. A ball takes 40 s, the first of an over 65 s, the first after a wicket 90
/// s, an innings break 17 min. Rain is shown where an innings ended early. In a Test, lunch, tea and stumps come after
/// every 30 overs of a day; the night is only an hour, so that a viewer need not wait for the morning.
struct TapeScript {
    private(set) var frames: [TapeFrame] = []
    private(set) var steps: [TapeStep] = []
    /// When each step is first seen, in seconds of the tape.
    private(set) var stepOffsets: [Int] = []

    private let match: CricsheetMatch
    private let deliveries: [TapeDelivery]
    private let words: MatchWords
    private var now = 0
    private var status = "NS"
    private var note: String?
    private var superOver = false
    private var followOn = false
    private var isRevised = false
    private var oversToday = 0
    private var breaksToday = 0
    private var day = 1

    private enum Gap {
        static let ball = 40
        static let over = 65
        static let wicket = 90
        static let inningsBreak = 17 * 60
        static let lunch = 40 * 60
        static let tea = 20 * 60
        static let night = 60 * 60
        static let rain = 5 * 60
        static let gone = 5 * 60
    }

    init(_ match: CricsheetMatch, deliveries: [TapeDelivery], words: MatchWords) {
        self.match = match
        self.deliveries = deliveries
        self.words = words
    }

    mutating func write() {
        now = -3 * 3_600
        show("NS", hasToss: false)
        now = -30 * 60
        show("Toss")
        now = 0
        var position = 0
        for index in match.innings.indices {
            let end = deliveries[position...].firstIndex { $0.innings != index } ?? deliveries.count
            begin(index)
            play(position..<end, of: index)
            if index + 1 < match.innings.count { pause(after: index) }
            position = end
        }
        finish()
    }

    // MARK: Play

    private mutating func begin(_ index: Int) {
        let innings = match.innings[index]
        if index > 0 { breakOfPlay() }
        superOver = superOver || innings.isSuperOver
        followOn = followOn || (words.isTimeless && index == 2 && innings.team == match.innings[1].team)
        status = "\(MatchWords.ordinal(index + 1)) Innings"
        note = words.note(during: index)
        isRevised = isRevised || words.isRevised(index)
        step(.innings(index))
        if let runs = innings.penalty_runs?.pre { step(.penalty(runs)) }
        show(status)
    }

    private mutating func play(_ range: Range<Int>, of index: Int) {
        var score = match.innings[index].penalty_runs?.pre ?? 0
        var wickets = 0
        var gap = Gap.ball
        for position in range {
            let delivery = deliveries[position]
            if position > range.lowerBound, deliveries[position - 1].over != delivery.over {
                gap = max(gap, Gap.over)
                if breakOfPlay() { show(status) }
            }
            now += gap
            score += delivery.totalRuns
            if delivery.wicket?.isOut == true { wickets += 1 }
            step(.delivery(position))
            show(.ball(innings: index, label: delivery.label, runs: score, wickets: wickets))
            if delivery.endsOver { oversToday += 1 }
            if let second = delivery.secondWicket {
                now += 20
                if second.isOut { wickets += 1 }
                step(.secondWicket(position))
                show("S\(index + 1) \(second.how)")
            }
            gap = delivery.wicket?.isOut == true ? Gap.wicket : Gap.ball
        }
        if let runs = match.innings[index].penalty_runs?.post {
            now += 20
            step(.penalty(runs))
            show("S\(index + 1) Penalty runs")
        }
    }

    /// Adds lunch, tea or stumps, once the overs bowled today make it due.
    @discardableResult
    private mutating func breakOfPlay() -> Bool {
        guard words.isTimeless, oversToday >= 30 * (breaksToday + 1) else { return false }
        let playing = status
        now += 20
        breaksToday += 1
        switch breaksToday {
        case 1:
            status = "Lunch"
            show(status)
            now += Gap.lunch
        case 2:
            status = "Tea Break"
            show(status)
            now += Gap.tea
        default:
            status = "Stump Day \(day)"
            show(status)
            now += Gap.night
            day += 1
            oversToday = 0
            breaksToday = 0
        }
        status = playing
        return true
    }

    // MARK: Breaks and the end

    private mutating func pause(after index: Int) {
        let end = now
        if !words.isTimeless, words.isShortened(index + 1) {
            let playing = status
            now = end + 60
            status = "Int."
            show(status)
            now += Gap.rain
            status = playing
            show(status)
        }
        now += 20
        status = "Innings Break"
        note = words.note(during: index + 1)
        isRevised = isRevised || words.isRevised(index + 1)
        show(status)
        now = end + Gap.inningsBreak
    }

    private mutating func finish() {
        if match.info.outcome.result == "no result" {
            now += 60
            status = "Int."
            show(status)
            now += Gap.rain
        } else {
            now += 45
        }
        status = "Finished"
        note = words.result
        show(status, hasResult: true)
        now += Gap.gone
        show("Gone", hasResult: true, isListed: false)
    }

    private mutating func step(_ step: TapeStep) {
        steps.append(step)
        stepOffsets.append(now)
    }

    private mutating func show(
        _ phase: String, hasToss: Bool = true, hasResult: Bool = false, isListed: Bool = true
    ) {
        show(.phase(phase), hasToss: hasToss, hasResult: hasResult, isListed: isListed)
    }

    private mutating func show(
        _ moment: TapeFrame.Moment, hasToss: Bool = true, hasResult: Bool = false, isListed: Bool = true
    ) {
        let view = TapeView(steps: steps.count, changedAt: stepOffsets.last ?? 0)
        frames.append(
            TapeFrame(
                offset: now, status: status, isListed: isListed, moment: moment, balls: view, figures: view,
                totals: view, note: note, hasToss: hasToss, result: hasResult ? .known : .unknown,
                superOver: superOver, followOn: followOn, isRevised: isRevised))
    }
}
