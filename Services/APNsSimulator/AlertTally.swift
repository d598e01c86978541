import SightscreenClientTesting

/// Records which device was sent which alert, with a bit for each, so that a repeated alert is found among a million
/// devices.
///
/// An alert is identified by its words, not by its stamp: a user sees the same wicket with a later state as a
/// repetition. Two events with the same words (`FOUR! Kohli`, no score) count as one alert here.
struct AlertTally: Sendable {
    struct Line: Encodable, Sendable {
        var title: String
        var body: String
        /// Accepted pushes that carried it.
        var pushes = 0
        /// Accepted pushes with this alert to a device that had been sent it before.
        var pushesAgain = 0
        /// Devices that showed the alert.
        var devices = 0
        /// Devices that showed the alert more than once.
        var devicesAgain = 0
    }

    /// The most alerts told apart, more than a day of matches has.
    static let alertsMax = 4_096

    private struct Bits: Sendable {
        private var words: [UInt64] = []

        /// - Returns: whether the bit was set before.
        mutating func set(_ index: Int) -> Bool {
            let word = index / 64
            if word >= words.count { words += [UInt64](repeating: 0, count: word + 1 - words.count) }
            let bit = UInt64(1) << UInt64(index % 64)
            defer { words[word] |= bit }
            return words[word] & bit != 0
        }
    }

    private(set) var lines: [Line] = []
    private var numbers: [DevicePush.Alert: Int] = [:]
    private var sent: [Bits] = []
    private var shown: [Bits] = []
    private var shownAgain: [Bits] = []

    /// The sum of the lines' `devicesAgain`.
    var alertedAgain: Int { lines.reduce(0) { $0 + $1.devicesAgain } }

    /// The number of an alert. Beyond `alertsMax`, all further alerts share the last number.
    mutating func number(of alert: DevicePush.Alert) -> Int {
        if let known = numbers[alert] { return known }
        guard lines.count < Self.alertsMax else { return lines.count - 1 }
        numbers[alert] = lines.count
        lines.append(
            lines.count == Self.alertsMax - 1
                ? Line(title: "more than \(Self.alertsMax - 1) alerts", body: "")
                : Line(title: alert.title, body: alert.body))
        sent.append(Bits())
        shown.append(Bits())
        shownAgain.append(Bits())
        return lines.count - 1
    }

    /// Records a push that APNs accepted.
    mutating func accepted(_ alert: Int, device: Int, isShown: Bool) {
        lines[alert].pushes += 1
        if sent[alert].set(device) { lines[alert].pushesAgain += 1 }
        guard isShown else { return }
        if !shown[alert].set(device) {
            lines[alert].devices += 1
        } else if !shownAgain[alert].set(device) {
            lines[alert].devicesAgain += 1
        }
    }
}
