import Cricket
public import SightscreenModels

extension FreshAlerts {
    /// Returns the alert of a push that carries them all beside `state`: the newest one, whose body continues with the
    /// headlines of the others. What a later version has overtaken is left out, and the end of the body is of `state`.
    /// It has sound, or counts as a key alert, if one of them does. Nil when the selection is empty.
    public func alert(of selection: Selection, on state: ContentState) -> MatchAlert? {
        let told = entries(of: selection)
        guard let newest = told.last else { return nil }
        var alert = newest.alert
        let isAsCommitted = newest.overtaken.isEmpty && state.version == newest.version.number.rawValue
        guard told.count > 1 || !isAsCommitted else { return alert }
        let news = newest.news
        if let key = news.first { alert.title = key.title }
        alert.sound = told.contains(where: \.alert.sound)
        alert.isKey = told.contains(where: \.alert.isKey)
        let body = AlertBody.text(
            first: news.first.map { [$0.detail].compactMap { $0 } } ?? [alert.body],
            mentions: news.dropFirst().compactMap(\.mention) + told.dropLast().reversed().map(\.headline),
            ending: news.first.map { AlertBody.ending(of: $0, under: $0.title, on: state) } ?? [],
            limit: Self.bodyMax)
        if !body.isEmpty { alert.body = body }
        return alert
    }
}

extension FreshAlerts.Entry {
    /// The words of the events that are still to be told; empty where the words are not known.
    fileprivate var news: [MatchAlert.News] {
        zip(alert.eventKeys ?? [], alert.news ?? []).filter { !overtaken.contains($0.0) }.map(\.1)
    }

    /// What the alert says beside another one.
    fileprivate var headline: String { news.first?.title ?? alert.title }

    /// Whether a later version has overtaken all that the alert tells.
    package var isOvertaken: Bool { alert.eventKeys.map { !$0.isEmpty && overtaken.isSuperset(of: $0) } ?? false }
}
