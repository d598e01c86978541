import FoundationEssentials
import SightscreenModels

/// The app's channels in both environments.
struct ChannelRegistry {
    /// Deleted ids that are remembered; older ones are as if they had never existed.
    static let deletedMax = 100_000
    /// Random bytes of an id, 24 characters of base64.
    static let idBytes = 16

    private struct Side {
        /// In the order in which they were made.
        var live: [Channel] = []
        var byID: [String: Channel] = [:]
        var deleted: Set<String> = []
        var deletedInOrder: [String] = []

        mutating func add(_ channel: Channel) {
            live.append(channel)
            byID[channel.id] = channel
        }

        mutating func remove(_ id: String) {
            guard byID.removeValue(forKey: id) != nil else { return }
            live.removeAll { $0.id == id }
            remember(id)
        }

        mutating func removeAll() {
            for channel in live { remember(channel.id) }
            live.removeAll()
            byID.removeAll()
        }

        mutating func remember(_ id: String) {
            guard deleted.insert(id).inserted else { return }
            deletedInOrder.append(id)
            // Half are forgotten at once, so that this costs little.
            guard deletedInOrder.count > deletedMax else { return }
            deleted.subtract(deletedInOrder.prefix(deletedMax / 2))
            deletedInOrder.removeFirst(deletedMax / 2)
        }
    }

    /// The most channels in one environment.
    private let channelsMax: Int
    private let file: ChannelFile?
    private var sides: [APNsEnvironment: Side] = [:]

    /// Reads the channels of the run before.
    ///
    /// - Parameter file: nil keeps channels in memory only.
    init(channelsMax: Int, file: ChannelFile?) throws {
        self.channelsMax = channelsMax
        self.file = file
        guard let file else { return }
        for line in try file.lines() {
            if let policy = line.policy {
                sides[line.environment, default: Side()].add(
                    Channel(id: line.id, environment: line.environment, policy: policy))
            } else {
                sides[line.environment, default: Side()].remove(line.id)
                sides[line.environment, default: Side()].remember(line.id)
            }
        }
        let live = all.map { ChannelFile.Line(id: $0.id, environment: $0.environment, policy: $0.policy) }
        let deleted = sides.flatMap { environment, side in
            side.deletedInOrder.map { ChannelFile.Line(id: $0, environment: environment) }
        }
        try file.replace(deleted + live)
    }

    var all: [Channel] { APNsEnvironment.allCases.flatMap { all(in: $0) } }

    func all(in environment: APNsEnvironment) -> [Channel] { sides[environment]?.live ?? [] }

    func channel(_ id: String, in environment: APNsEnvironment) -> Channel? { sides[environment]?.byID[id] }

    /// Returns the channel of either environment.
    func channel(_ id: String) -> Channel? { APNsEnvironment.allCases.lazy.compactMap { channel(id, in: $0) }.first }

    func isDeleted(_ id: String, in environment: APNsEnvironment) -> Bool {
        sides[environment]?.deleted.contains(id) ?? false
    }

    /// Makes a channel; nil when the app has as many as it may have.
    mutating func make(in environment: APNsEnvironment, policy: Int) throws -> Channel? {
        guard all(in: environment).count < channelsMax else { return nil }
        let bytes = (0..<Self.idBytes).map { _ in UInt8.random(in: .min ... .max) }
        let channel = Channel(id: Data(bytes).base64EncodedString(), environment: environment, policy: policy)
        try file?.append([.init(id: channel.id, environment: environment, policy: policy)])
        sides[environment, default: Side()].add(channel)
        return channel
    }

    /// Deletes a channel for good.
    mutating func delete(_ channel: Channel) throws {
        try file?.append([.init(id: channel.id, environment: channel.environment)])
        sides[channel.environment]?.remove(channel.id)
    }

    /// Deletes all channels for good.
    mutating func deleteAll() throws {
        try file?.append(all.map { .init(id: $0.id, environment: $0.environment) })
        for environment in APNsEnvironment.allCases { sides[environment]?.removeAll() }
    }
}
