public import SightscreenModels

/// The state that the page shows beside the phones: the matches, the pipeline, and the time a ball takes.
public struct LabState: Codable, Hashable, Sendable {
    /// The lab's clock in milliseconds since 1970, from which the page counts ages.
    public var atMs: Int64
    /// The matches, ordered by id.
    public var matches: [LabMatch]
    /// The stages in the order in which a ball passes them.
    public var stages: [LabStage]
    public var latency: LabLatency
    public var phones: Counts
    /// Faults that wait for their call or their time; nil where the stand-in does not answer.
    public var faults: Faults

    package init(
        atMs: Int64, matches: [LabMatch], stages: [LabStage], latency: LabLatency, phones: Counts, faults: Faults
    ) {
        self.atMs = atMs
        self.matches = matches
        self.stages = stages
        self.latency = latency
        self.phones = phones
        self.faults = faults
    }

    public struct Counts: Codable, Hashable, Sendable {
        public var all = 0
        public var online = 0
        /// Phones with an activity that goes on.
        public var showing = 0
        /// Phones among these that do not show the newest version of its match.
        public var behind = 0
        public var stale = 0

        public init() {}
    }

    public struct Faults: Codable, Hashable, Sendable {
        public var provider: Int?
        public var apns: Int?

        package init(provider: Int? = nil, apns: Int? = nil) {
            self.provider = provider
            self.apns = apns
        }
    }
}

/// A match that the provider's stand-in plays.
public struct LabMatch: Codable, Hashable, Sendable {
    public var id: MatchID
    public var title: String
    public var tape: LabTapePosition
    /// The version of the newest display state that the lab knows; 0 before the first.
    public var version: Int
    /// That display state, from the API or from the phone that is ahead of the others.
    public var content: ContentState?
    /// Its broadcast channels; empty also where the lab knows no database.
    public var channels: [LabChannel]

    package init(
        id: MatchID, title: String, tape: LabTapePosition, version: Int = 0, content: ContentState? = nil,
        channels: [LabChannel] = []
    ) {
        self.id = id
        self.title = title
        self.tape = tape
        self.version = version
        self.content = content
        self.channels = channels
    }
}

/// The position of a tape.
public struct LabTapePosition: Codable, Hashable, Sendable {
    public var tapeId: String
    public var variant: String
    /// Frames shown so far; `frames` is the number of all.
    public var cursor: Int
    public var frames: Int
    /// The label of the newest frame: "S1 12.3 87/6", "Innings Break"; "" before the first.
    public var label: String
    public var isPlaying: Bool
    public var speed: Double
    public var isLast: Bool

    package init(
        tapeId: String, variant: String, cursor: Int, frames: Int, label: String, isPlaying: Bool, speed: Double,
        isLast: Bool
    ) {
        self.tapeId = tapeId
        self.variant = variant
        self.cursor = cursor
        self.frames = frames
        self.label = label
        self.isPlaying = isPlaying
        self.speed = speed
        self.isLast = isLast
    }
}

/// A stage of the pipeline: all processes of one name.
public struct LabStage: Codable, Hashable, Sendable {
    public enum Health: String, Codable, Sendable {
        case ready
        /// The stage runs and says what it waits for.
        case notReady
        /// None of its processes answers, or none was ever seen.
        case down
    }

    public struct Count: Codable, Hashable, Sendable {
        public var label: String
        public var value: Double
        /// The growth per second, over the last seconds; nil for a value that does not only grow.
        public var rate: Double?

        package init(label: String, value: Double, rate: Double? = nil) {
            self.label = label
            self.value = value
            self.rate = rate
        }
    }

    /// The name of its executable.
    public var name: String
    public var health: Health
    /// The parts that it waits for, in its own words.
    public var missing: [String]
    /// The number of processes that answer.
    public var processes: Int
    public var counts: [Count]

    package init(
        name: String, health: Health, missing: [String] = [], processes: Int = 0, counts: [Count] = []
    ) {
        self.name = name
        self.health = health
        self.missing = missing
        self.processes = processes
        self.counts = counts
    }
}

/// The distribution of the time from the moment when the provider shows a ball to the moment when a Lock Screen does.
public struct LabLatency: Codable, Hashable, Sendable {
    public struct Bucket: Codable, Hashable, Sendable {
        /// The bucket's upper edge; nil for the last.
        public var ms: Int?
        public var count: Int

        package init(ms: Int?, count: Int) {
            self.ms = ms
            self.count = count
        }
    }

    /// Lock Screens that were measured, of the newest balls; the percentiles are nil while it is 0.
    public var count: Int
    public var p50Ms: Int?
    public var p95Ms: Int?
    public var maxMs: Int?
    public var buckets: [Bucket]

    package init(count: Int = 0, p50Ms: Int? = nil, p95Ms: Int? = nil, maxMs: Int? = nil, buckets: [Bucket] = []) {
        self.count = count
        self.p50Ms = p50Ms
        self.p95Ms = p95Ms
        self.maxMs = maxMs
        self.buckets = buckets
    }
}
