import SightscreenModels

/// The part of a match's audience for which an alert is claimed at once: the phones of a shard, or a broadcast channel.
package struct AlertBucket: Hashable, Sendable {
    /// The number by which claims are stored, unique within the match: that of the shard, or one beyond the shards.
    package let number: Int
    /// The shard whose lease guards the claim.
    package let shard: Int

    /// The bucket of a shard's phones.
    package init(shard: Int) {
        number = shard
        self.shard = shard
    }

    /// The bucket of a channel.
    package init(channel: ChannelKey, shard: Int) {
        let environment = APNsEnvironment.allCases.firstIndex(of: channel.environment) ?? 0
        number =
            DeviceRoute.shardCount + environment * AudienceClass.countMax + Int(channel.audience.rawValue)
        self.shard = shard
    }
}
