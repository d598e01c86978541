import Activities

/// What happens on a field, from the first ball to the end or to where the schedule stops.
struct MatchStory {
    enum Kind: CaseIterable { case t20, odi, test, tie, abandoned, postponed, reopened }

    static let minute = 60_000
    static let hour = 3_600_000

    let match: Int
    let kind: Kind
    private let world: World
    private let stop: Int
    private var clock: Int

    /// - Parameter stop: nothing is planned beyond.
    init(_ world: World, match: Int, kind: Kind, stop: Int) {
        self.world = world
        self.match = match
        self.kind = kind
        self.stop = stop
        clock = world.now + 30_000 + world.random.below(10 * Self.minute)
    }

    static func random(_ random: inout SplitMix64) -> (kind: Kind, length: Int) {
        switch random.below(20) {
        case 0...8: (.t20, 3 * hour + 30 * minute)
        case 9...12: (.odi, 10 * hour)
        case 13: (.test, 100 * hour)
        case 14...15: (.tie, 5 * hour)
        case 16: (.abandoned, 3 * hour)
        case 17: (.postponed, 2 * hour)
        default: (.reopened, 4 * hour)
        }
    }

    mutating func plan() {
        switch kind {
        case .t20: t20()
        case .odi:
            become(.live)
            innings(200 * Self.minute, every: 150_000)
            pause(.inBreak, 40 * Self.minute)
            if world.random.perMille(400) { pause(.suspended, 20 * Self.minute + world.random.below(80 * Self.minute)) }
            innings(220 * Self.minute, every: 150_000)
            settle()
        case .test: test()
        case .tie:
            become(.live)
            innings(90 * Self.minute, every: 90_000)
            pause(.inBreak, 15 * Self.minute)
            innings(90 * Self.minute, every: 90_000)
            tie()
        case .abandoned:
            become(.live)
            innings(30 * Self.minute, every: 90_000)
            pause(.suspended, 60 * Self.minute)
            settle()
        case .postponed:
            if world.random.perMille(600) {
                become(.live)
                innings(10 * Self.minute, every: 90_000)
            }
            step { $0.isCalledOff = true }
            clock += 30 * Self.minute
            if world.random.perMille(300) {
                step {
                    $0.isCalledOff = false
                    $0.phase = .live
                }
                innings(30 * Self.minute, every: 90_000)
            }
        case .reopened:
            become(.live)
            innings(60 * Self.minute, every: 90_000)
            settle()
            clock += 1 * Self.minute + world.random.below(20 * Self.minute)
            step {
                $0.phase = .live
                $0.isDecided = false
            }
            innings(40 * Self.minute, every: 90_000)
            settle()
        }
    }

    private mutating func t20() {
        become(.live)
        innings(85 * Self.minute, every: 70_000)
        if world.random.perMille(300) { pause(.suspended, 5 * Self.minute + world.random.below(60 * Self.minute)) }
        pause(.inBreak, 15 * Self.minute)
        innings(85 * Self.minute, every: 70_000)
        settle()
    }

    private mutating func test() {
        for day in 1...5 {
            let morning = clock
            become(.live)
            innings(120 * Self.minute, every: 400_000)
            pause(.inBreak, 40 * Self.minute)
            innings(120 * Self.minute, every: 400_000)
            pause(.inBreak, 20 * Self.minute)
            innings(120 * Self.minute, every: 400_000)
            if day < 5 { become(.stumps) }
            clock = morning + 24 * Self.hour
        }
        clock -= 16 * Self.hour
        settle()
    }

    private mutating func tie() {
        let until = clock + LabBus.superOverWait + 5_000
        step {
            $0.phase = .inBreak
            $0.waitsUntil = until
        }
        clock += 5 * Self.minute + world.random.below(10 * Self.minute)
        if world.random.perMille(700) {
            step {
                $0.waitsUntil = nil
                $0.phase = .live
            }
            innings(15 * Self.minute, every: 60_000)
        } else {
            clock = until
        }
        settle()
    }

    // MARK: -

    private mutating func step(alert: Bool = false, _ change: @escaping (inout LabBus.Truth) -> Void = { _ in }) {
        guard clock < stop else { return }
        let (world, match) = (world, match)
        world.at(clock) { [unowned world] in world.bus.play(match, alert: alert, change) }
    }

    private mutating func become(_ phase: ActivityPhase) { step(alert: true) { $0.phase = phase } }

    private mutating func innings(_ length: Int, every: Int) {
        let end = clock + length
        while clock < end, clock < stop {
            clock += every / 4 + world.random.below(every)
            step(alert: world.random.perMille(150))
        }
        clock = end
    }

    private mutating func pause(_ phase: ActivityPhase, _ length: Int) {
        step(alert: phase == .inBreak) { $0.phase = phase }
        clock += length
        step { $0.phase = .live }
    }

    private mutating func settle() {
        clock += 10_000
        step(alert: true) {
            $0.phase = .settled
            $0.waitsUntil = nil
            $0.isDecided = true
        }
        clock += 10 * Self.minute
    }
}
