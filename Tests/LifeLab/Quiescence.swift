import Activities

/// After the last fault everything comes right, and stays so.
enum Quiescence {
    static func finish(_ world: World) {
        guard world.failure == nil else { return }
        world.note("— no more faults —")
        world.faults = .none
        for phone in world.phones { phone.setOnline(true) }
        world.run(until: max(world.now, world.calmSince) + 1)
        let begin = world.now
        for phone in world.phones {
            if phone.installation == 0 { phone.install() }
            phone.allowAgain()
            world.after(500) { [unowned phone] in phone.open() }
        }
        play(world, every: 15_000, until: begin + 60_000)
        world.run(until: begin + 62_000)
        checkRecords(world)
        play(world, every: 240_000, until: begin + 69 * MatchStory.minute)
        // The phones' budgets are full again.
        world.at(begin + 62 * MatchStory.minute) { [unowned world] in for phone in world.phones { phone.open() } }
        world.at(begin + 69 * MatchStory.minute) { [unowned world] in play(world) }
        world.run(until: begin + 70 * MatchStory.minute)
        checkPhones(world, "70 min after the last fault")
        guard world.random.perMille(500) else { return }
        for match in world.database.matchIDs where world.database.match(match).phase.isInPlay {
            world.bus.play(match) {
                $0.phase = .settled
                $0.waitsUntil = nil
            }
        }
        world.run(until: world.now + LabOrchestrator.resultHold + 2 * MatchStory.minute)
        checkPhones(world, "after the matches")
    }

    private static func play(_ world: World) {
        for match in world.database.matchIDs {
            let truth = world.bus.truth(match)
            if truth.phase.isInPlay, !truth.isCalledOff { world.bus.play(match) }
        }
    }

    private static func play(_ world: World, every: Int, until end: Int) {
        for time in stride(from: world.now + every, to: end, by: every) {
            world.at(time) { [unowned world] in play(world) }
        }
    }

    /// Whoever should see an activity has one on record, or one that is being started.
    private static func checkRecords(_ world: World) {
        forEach(world) { phone, key, isExpected in
            let life = world.database.life(key)
            // What APNs called dead just now is left to the next pass.
            let isNew = life.generations.contains { ($0.endedAt ?? Moment(seconds: 0)) > world.moment - .seconds(31) }
            if isExpected, life.phone.isCapable, life.current == nil, !isNew {
                world.fail("I2", "\(key) has no record a minute after the last fault")
            }
            if !isExpected, let current = life.current, current.status == .pending,
                current.start.isLeased(world.moment),
                !life.shouldExist
            {
                world.fail("I2", "\(key) is being started a minute after the last fault")
            }
        }
    }

    static func checkPhones(_ world: World, _ when: String) {
        forEach(world) { phone, key, isExpected in
            let shown = phone.running(key.match)
            let row = world.database.match(key.match)
            let summary = LabDatabase.summary(world.database.life(key))
            if !isExpected, !shown.isEmpty {
                world.fail(
                    "L1",
                    "phone \(phone.number) shows \(shown[0].id) of match \(key.match) and should not, \(when); \(summary)"
                )
            }
            guard isExpected else { return }
            // A renewal that has just begun: the old one ends when the new one's token is there.
            let isRenewed = world.database.life(key).current?.start.isLeased(world.moment) == true
            if shown.count == 2, isRenewed, world.now - shown[1].startedAt < 30_000 { return }
            if shown.count != 1 {
                world.fail(
                    "L1",
                    "phone \(phone.number) shows \(shown.count) activities of match \(key.match), \(when); \(summary)")
            } else if shown[0].content != row.content {
                world.fail(
                    "I5",
                    "phone \(phone.number) shows version \(shown[0].version) instead of \(row.version), \(when); \(summary)"
                )
            } else if world.database.life(key).current?.token != shown[0].token {
                world.fail("I2", "phone \(phone.number): the record has another token, \(when); \(summary)")
            }
            if row.content != world.bus.truth(key.match).content {
                world.fail("I5", "match \(key.match) is behind the provider, \(when)")
            }
        }
    }

    private static func forEach(_ world: World, _ body: (SimulatedPhone, LifeKey, Bool) -> Void) {
        for phone in world.phones {
            for match in world.database.matchIDs {
                let key = LifeKey(match: match, user: phone.user, device: phone.device)
                let isFollowed = world.database.follows[FollowKey(user: phone.user, match: match)] != nil
                // What may have been swiped away waits for the user.
                let isMissing = world.database.life(key).generations.first?.card != nil
                body(phone, key, isFollowed && phone.allows && !isMissing && world.database.match(match).phase.isInPlay)
            }
        }
    }
}

extension SimulatedPhone {
    func allowAgain() { allows = true }
}
