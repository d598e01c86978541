import Cricket
import SightscreenModels

/// Makes one alert of everything that is announced at once. The key event is the title; the body says how it came
/// about, names the other events and says what is needed, and repeats nothing of the title.
enum AlertComposer {
    /// The longest title that a Lock Screen and a Watch show without cutting it, in characters.
    static let titleMax = 34
    static let bodyMax = 140

    /// An event with its words.
    struct Announcement: Codable, Sendable, Equatable {
        var event: MatchEvent
        var words: AlertWords
    }

    /// The announcements with the most important first; of two equally important ones the later comes first.
    static func ordered(_ told: [Announcement]) -> [Announcement] {
        told.enumerated().sorted { ($0.element.words.rank, -$0.offset) < ($1.element.words.rank, -$1.offset) }
            .map(\.element)
    }

    /// The alert for `ordered`, whose first is the key event; nil when it is empty. `at` is when the newest event
    /// happened, in seconds since 1970.
    static func alert(for ordered: [Announcement], state: ContentState, at: Int) -> MatchAlert? {
        guard let key = ordered.first else { return nil }
        let news = news(of: ordered)
        let body = AlertBody.text(
            first: [news[0].detail].compactMap { $0 }, mentions: news.dropFirst().compactMap(\.mention),
            ending: AlertBody.ending(of: news[0], under: news[0].title, on: state), limit: bodyMax)
        return MatchAlert(
            title: news[0].title,
            body: DisplayText.line(body.isEmpty ? key.words.spare ?? "" : body, limit: bodyMax),
            kind: key.event.kind, value: key.event.value, sound: ordered.contains(where: \.words.sound),
            isKey: ordered.contains(where: \.words.isKey), eventAt: at)
    }

    /// The words of each event, in the same order.
    static func news(of ordered: [Announcement]) -> [MatchAlert.News] {
        ordered.enumerated().map { place, told in
            let titles = told.words.titles
            let title = titles.first { $0.count <= titleMax } ?? titles.last ?? told.words.mention
            // A hat-trick names its wickets itself.
            let isSaid =
                told.event.kind == .wicket && told.event.ballID == ordered[0].event.ballID
                && ordered[0].words.detailHasWicket == true
            return MatchAlert.News(
                title: DisplayText.line(title, limit: titleMax), detail: told.words.detail,
                mention: place == 0 || isSaid ? nil : told.words.mention.sentence, innings: told.event.innings,
                ending: ending(told))
        }
    }

    private static func ending(_ told: Announcement) -> MatchAlert.Ending? {
        switch told.event.kind {
        case .matchResult: .totals
        case .inningsBreak: .nextInnings
        default: told.words.takesScore ? .score : nil
        }
    }
}

extension String {
    /// The text with a capital in front: "fifty for Iyer" → "Fifty for Iyer".
    fileprivate var sentence: String { prefix(1).uppercased() + dropFirst() }
}
