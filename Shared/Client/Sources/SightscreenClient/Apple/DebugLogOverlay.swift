// Compiled against stubs of Apple's frameworks only (deploy/apple-check).
#if canImport(SwiftUI)
    public import SwiftUI

    /// A list of the newest log events over the app, for debug builds.
    public struct DebugLogOverlay: View {
        @State private var events: [LogEvent] = []
        private let log: DebugLogService

        public init(_ log: DebugLogService) { self.log = log }

        public var body: some View {
            List(Array(events.reversed().enumerated()), id: \.offset) { _, event in
                Text(event.line).font(.caption2.monospaced()).foregroundStyle(event.level >= .warning ? .red : .primary)
            }
            .toolbar { ShareLink(item: log.text) }
            .task { for await newest in log.updates() { events = newest } }
        }
    }
#endif
