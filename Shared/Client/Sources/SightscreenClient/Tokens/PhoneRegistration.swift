import SightscreenModels

/// What the backend should know of this phone, and what of it it knows.
struct PhoneRegistration: Sendable {
    private(set) var report: DeviceRegistration?
    private(set) var startToken: PushToStartToken?
    private var sentReport: DeviceRegistration?
    private var sentStartToken: PushToStartToken?
    /// A token is another user's until the backend knows whose phone this is: it is sent again.
    private(set) var isWaiting = false

    /// - Returns: whether it is news.
    mutating func wants(_ report: DeviceRegistration) -> Bool {
        guard self.report.map({ !$0.says(report) }) ?? true else { return false }
        self.report = report
        return true
    }

    /// The system says a token twice when it has started an activity.
    /// - Returns: whether it is news.
    mutating func wants(_ token: PushToStartToken) -> Bool {
        guard token != startToken else { return false }
        startToken = token
        return true
    }

    /// All of it is news again.
    mutating func forgetWhatWasSent() {
        sentReport = nil
        sentStartToken = nil
    }

    enum Step: Equatable {
        case report(DeviceRegistration)
        case startToken(PushToStartRegistration)
    }

    /// What to send next; nil when the backend knows all. The phone goes first: a token of a phone that is not known
    /// would be taken for one of the App Store's build, and what the phone shows already would be started again.
    var nextStep: Step? {
        guard let report else { return nil }
        if sentReport != report { return .report(report) }
        guard let startToken, sentStartToken != startToken else { return nil }
        return .startToken(PushToStartRegistration(pushToStartToken: startToken, deviceId: report.deviceId))
    }

    /// What waited is news again.
    mutating func tryWaitingAgain() {
        if isWaiting { forgetWhatWasSent() }
        isWaiting = false
    }

    /// The backend took it, or never will.
    /// - Parameter waits: it took all but a token that is another user's yet.
    mutating func settled(_ step: Step, waits: Bool) {
        if waits { isWaiting = true }
        switch step {
        case .report(let report): sentReport = report
        case .startToken(let registration): sentStartToken = registration.pushToStartToken
        }
    }

    /// The backend knows that this phone exists.
    var isKnown: Bool { sentReport != nil }
}

extension DeviceRegistration {
    /// The same, whenever it was seen.
    fileprivate func says(_ other: DeviceRegistration) -> Bool {
        func timeless(_ report: DeviceRegistration) -> DeviceRegistration {
            var report = report
            for place in (report.activities ?? []).indices { report.activities?[place].lastSeen = nil }
            return report
        }
        return timeless(self) == timeless(other)
    }
}
