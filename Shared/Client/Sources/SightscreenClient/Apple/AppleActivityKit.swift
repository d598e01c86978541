// Compiled against stubs of Apple's frameworks only (deploy/apple-check): written for iOS 18 from Apple's
// documentation.
#if canImport(ActivityKit) && os(iOS)
    public import ActivityKit
    import Foundation
    public import SightscreenModels

    /// The attributes of the app's activities. A push names this type in `attributes-type`.
    extension LiveActivityAttributes: ActivityAttributes {
        public typealias ContentState = SightscreenModels.ContentState
    }

    /// The port's implementation with ActivityKit. It passes every call on and decides nothing.
    public struct AppleActivityKit: ActivityKitPort {
        public typealias LiveActivity = Activity<LiveActivityAttributes>

        private let known = KnownActivities<LiveActivity>()

        public init() {}

        // MARK: Activities

        public func request(
            _ attributes: LiveActivityAttributes, _ content: ShownContent, pushType: ActivityPushType,
            schedule: ActivitySchedule?
        ) async throws(ActivityRequestError) -> PhoneActivity {
            let content = ActivityContent(
                state: content.state, staleDate: content.staleAt.map { .seconds($0) },
                relevanceScore: content.relevance ?? 0)
            // The package needs iOS 18, which has channels.
            let pushType: PushType =
                switch pushType {
                case .token: .token
                case .channel(let id): .channel(id.rawValue)
                }
            do {
                guard let schedule else {
                    return Self.kept(
                        try LiveActivity.request(attributes: attributes, content: content, pushType: pushType), known)
                }
                guard #available(iOS 26, *) else { throw ActivityRequestError.unsupported }
                return Self.kept(
                    try LiveActivity.request(
                        attributes: attributes, content: content, pushType: pushType, style: .standard,
                        // This alert always has a sound.
                        alertConfiguration: AlertConfiguration(
                            title: "\(schedule.alert.title)", body: "\(schedule.alert.body)", sound: .default),
                        start: .seconds(schedule.start)), known)
            } catch let error as ActivityRequestError {
                throw error
            } catch let error as ActivityAuthorizationError {
                throw ActivityRequestError(error)
            } catch {
                throw .other("\(error)")
            }
        }

        public func end(_ id: ActivityID, _ dismissal: EndDismissal) async {
            let policy: ActivityUIDismissalPolicy =
                switch dismissal {
                case .immediate: .immediate
                case .byDefault: .default
                case .at(let time): .after(.seconds(time))
                }
            await find(id)?.end(nil, dismissalPolicy: policy)
        }

        public func activities() async -> [PhoneActivity] { LiveActivity.activities.map { Self.kept($0, known) } }

        public func activity(_ id: ActivityID) async -> PhoneActivity? { find(id).map { PhoneActivity($0) } }

        public func activityUpdates() async -> AsyncStream<PhoneActivity> {
            // The buffer holds every activity that can come before the app reads: a phone shows at most five of one
            // app.
            stream(LiveActivity.activityUpdates, keeping: 16) { [known] in Self.kept($0, known) }
        }

        // MARK: Tokens

        public func pushToStartToken() async -> PushToStartToken? {
            LiveActivity.pushToStartToken.map { PushToStartToken($0.hexString) }
        }

        public func pushToStartTokenUpdates() async -> AsyncStream<PushToStartToken> {
            stream(LiveActivity.pushToStartTokenUpdates) { PushToStartToken($0.hexString) }
        }

        public func pushToken(of id: ActivityID) async -> UpdateToken? {
            find(id)?.pushToken.map { UpdateToken($0.hexString) }
        }

        public func pushTokenUpdates(of id: ActivityID) async -> AsyncStream<UpdateToken> {
            guard let activity = find(id) else { return .ended }
            return stream(activity.pushTokenUpdates) { UpdateToken($0.hexString) }
        }

        // MARK: Changes of an activity

        public func contentUpdates(of id: ActivityID) async -> AsyncStream<ShownContent> {
            guard let activity = find(id) else { return .ended }
            return stream(activity.contentUpdates, startingWith: ShownContent(activity.content)) { ShownContent($0) }
        }

        public func activityStateUpdates(of id: ActivityID) async -> AsyncStream<PhoneActivityState> {
            guard let activity = find(id) else { return .ended }
            return stream(
                activity.activityStateUpdates, startingWith: PhoneActivityState(activity.activityState), keeping: 4
            ) { PhoneActivityState($0) }
        }

        // MARK: The user's switches

        public func areActivitiesEnabled() async -> Bool { ActivityAuthorizationInfo().areActivitiesEnabled }

        public func activityEnablementUpdates() async -> AsyncStream<Bool> {
            let info = ActivityAuthorizationInfo()
            return stream(info.activityEnablementUpdates, startingWith: info.areActivitiesEnabled) { $0 }
        }

        public func frequentPushesEnabled() async -> Bool { ActivityAuthorizationInfo().frequentPushesEnabled }

        public func frequentPushEnablementUpdates() async -> AsyncStream<Bool> {
            let info = ActivityAuthorizationInfo()
            return stream(info.frequentPushEnablementUpdates, startingWith: info.frequentPushesEnabled) { $0 }
        }

        private func find(_ id: ActivityID) -> LiveActivity? { known.find(id) }

        /// Keeps the activity's object, so that it is found while the list lacks it.
        private static func kept(_ activity: LiveActivity, _ known: KnownActivities<LiveActivity>) -> PhoneActivity {
            known.keep(activity, as: ActivityID(activity.id))
            return PhoneActivity(activity)
        }
    }

    extension Date {
        fileprivate static func seconds(_ since1970: Int) -> Date { Date(timeIntervalSince1970: Double(since1970)) }
    }

    extension PhoneActivity {
        fileprivate init(_ activity: AppleActivityKit.LiveActivity) {
            self.init(
                id: ActivityID(activity.id), attributes: activity.attributes, content: ShownContent(activity.content),
                state: PhoneActivityState(activity.activityState))
        }
    }

    extension ShownContent {
        fileprivate init(_ content: ActivityContent<SightscreenModels.ContentState>) {
            self.init(
                state: content.state, staleAt: content.staleDate.map { Int($0.timeIntervalSince1970) },
                relevance: content.relevanceScore)
        }
    }

    extension PhoneActivityState {
        fileprivate init(_ state: ActivityState) {
            if #available(iOS 26, *), state == .pending {
                self = .pending
                return
            }
            switch state {
            case .active: self = .active
            case .stale: self = .stale
            case .ended: self = .ended
            case .dismissed: self = .dismissed
            // Later systems have further states for an activity that is not over. Later compilers know some of them.
            default: self = .active
            }
        }
    }

    extension ActivityRequestError {
        fileprivate init(_ error: ActivityAuthorizationError) {
            switch error {
            case .denied: self = .denied
            case .unsupported, .unsupportedTarget: self = .unsupported
            case .targetMaximumExceeded, .globalMaximumExceeded: self = .tooMany
            case .attributesTooLarge: self = .tooLarge
            case .visibility: self = .notInForeground
            default: self = .other("\(error)")
            }
        }
    }
#endif
