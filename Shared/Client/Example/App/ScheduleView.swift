import SightscreenClient
import SightscreenModels
import SwiftUI

/// The matches of a day.
struct ScheduleView: View {
    @Environment(\.imageCacheService) private var images
    @State private var source: ScheduleDataSource

    init(service: any ScheduleService) {
        _source = State(initialValue: ScheduleDataSource(service: service, clock: SystemClientClock()))
    }

    var body: some View {
        NavigationStack {
            List(source.data?.matches ?? [], id: \.id) { MatchRow(match: $0) }
                .viewSubscriber(dataSource: source)
                // The logos are there before their rows are scrolled to.
                .task(id: source.data?.matches.map(\.id)) { await images.prefetch(source.data?.matches ?? []) }
                .toolbar {
                    Button("Earlier") { select(source.selectedDay - 1) }
                    Text(verbatim: source.selectedDay.description)
                    Button("Later") { select(source.selectedDay + 1) }
                }
        }
    }

    private func select(_ day: UTCDay) { Task { try? await source.select(day) } }
}
