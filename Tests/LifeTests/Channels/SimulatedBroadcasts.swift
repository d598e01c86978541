import APNsProtocol
import SightscreenModels
import TestKit

@testable import LACoordinator

/// Apple's channels as the lives meet them: answers get lost, broadcasts are switched off and on, and in a storm calls
/// are refused with 429.
actor SimulatedBroadcasts: ChannelManagement {
    struct NoAnswer: Error {}

    private(set) var channels: Set<ChannelID> = []
    /// Those whose caller had no answer.
    private(set) var unheardOf: Set<ChannelID> = []
    /// Whether the app may broadcast.
    private(set) var isOn = true
    private var isStormy = false
    /// The share of answers that get lost.
    private var losing = 0.1
    private var made = 0
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    func setStorm(_ isStormy: Bool) { self.isStormy = isStormy }

    /// From now on everything is answered.
    func setReliable() { (losing, isStormy) = (0, false) }

    /// Switching broadcasts off deletes every channel.
    func set(isOn: Bool) {
        self.isOn = isOn
        if !isOn { channels = [] }
    }

    // MARK: - Management

    func create(_ environment: APNsEnvironment) throws -> ChannelManager.Created {
        guard isOn else { return .refused(APNsAnswer(.featureNotEnabled)) }
        guard !isStormy else { return .refused(APNsAnswer(.tooManyRequests)) }
        made += 1
        let id = ChannelID("channel\(made)")
        channels.insert(id)
        guard !random.chance(losing) else {
            unheardOf.insert(id)
            throw NoAnswer()
        }
        return .channel(id)
    }

    /// Makes a channel for a caller that dies before the answer.
    func createUnheardOf() {
        guard isOn, !isStormy, case .channel(let id) = try? create(.production) else { return }
        unheardOf.insert(id)
    }

    func delete(_ channel: ChannelID, _ environment: APNsEnvironment) throws -> APNsAnswer? {
        guard !isStormy else { return APNsAnswer(.tooManyRequests) }
        channels.remove(channel)
        guard !random.chance(losing) else { throw NoAnswer() }
        return nil
    }

    func list(_ environment: APNsEnvironment) throws -> ChannelManager.Listed {
        guard !random.chance(losing) else { throw NoAnswer() }
        guard environment == .production else { return .channels([]) }
        return isStormy
            ? .refused(APNsAnswer(.tooManyRequests)) : .channels(channels.sorted { $0.rawValue < $1.rawValue })
    }

    // MARK: - Publishing

    /// - Returns: the answer; nil when it is lost, after the publish was processed.
    func publish(to channel: ChannelID) -> (answer: APNsAnswer?, isDelivered: Bool) {
        guard isOn else { return (APNsAnswer(.broadcastFeatureNotEnabled), false) }
        guard channels.contains(channel) else { return (APNsAnswer(.channelNotRegistered), false) }
        // Each channel has a limit of its own.
        guard !isStormy || random.chance(0.5) else { return (APNsAnswer(.tooManyRequests), false) }
        return (random.chance(losing) ? nil : .accepted, true)
    }
}
