import SightscreenModels

/// The report about this phone, and the part of it that the backend has received.
struct PhoneRegistration: Sendable {
    private(set) var report: DeviceRegistration?
    private(set) var startToken: PushToStartToken?
    private var sentReport: DeviceRegistration?
    private var sentStartToken: PushToStartToken?
    /// Whether a token still belongs to another user, until the backend knows whose phone this is. It is then sent
    /// again.
    private(set) var isWaiting = false

    /// Sets the report to send.
    ///
    /// - Returns: whether it is new.
    mutating func wants(_ report: DeviceRegistration) -> Bool {
        guard self.report.map({ !$0.says(report) }) ?? true else { return false }
        self.report = report
        return true
    }

    /// Sets the token to send. The system repeats a token when it has started an activity.
    ///
    /// - Returns: whether it is new.
    mutating func wants(_ token: PushToStartToken) -> Bool {
        guard token != startToken else { return false }
        startToken = token
        return true
    }

    /// Marks everything as not sent.
    mutating func forgetWhatWasSent() {
        sentReport = nil
        sentStartToken = nil
    }

    enum Step: Equatable {
        case report(DeviceRegistration)
        case startToken(PushToStartRegistration)
    }

    /// The next request to send; nil when the backend has everything. The phone goes first: the backend would take a
    /// token of an unknown phone for one of an App Store build, and would start again activities that the phone already
    /// shows.
    var nextStep: Step? {
        guard let report else { return nil }
        if sentReport != report { return .report(report) }
        guard let startToken, sentStartToken != startToken else { return nil }
        return .startToken(PushToStartRegistration(pushToStartToken: startToken, deviceId: report.deviceId))
    }
    /// Marks everything as not sent, if a token waited.
    mutating func retryWaiting() {
        if isWaiting { forgetWhatWasSent() }
        isWaiting = false
    }

    /// Records that the backend accepted a request, or never will.
    ///
    /// - Parameters:
    ///   - step: the request.
    ///   - waits: whether a token in it still belongs to another user.
    mutating func settled(_ step: Step, waits: Bool) {
        if waits { isWaiting = true }
        switch step {
        case .report(let report): sentReport = report
        case .startToken(let registration): sentStartToken = registration.pushToStartToken
        }
    }

    /// Whether the backend knows this phone.
    var isKnown: Bool { sentReport != nil }
}

extension DeviceRegistration {
    /// Whether the reports are equal apart from the times at which activities were last seen.
    fileprivate func says(_ other: DeviceRegistration) -> Bool {
        func timeless(_ report: DeviceRegistration) -> DeviceRegistration {
            var report = report
            for place in (report.activities ?? []).indices { report.activities?[place].lastSeen = nil }
            return report
        }
        return timeless(self) == timeless(other)
    }
}
