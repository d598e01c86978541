/// The topics under which pushes go out; both are made of the app's bundle id.
package enum PushTopic: Sendable { case liveActivities, app }

extension PushKind {
    package var topic: PushTopic {
        switch self {
        case .start, .update, .end, .publish: .liveActivities
        case .silent, .visible: .app
        }
    }
}
