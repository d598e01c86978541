import Activities
import SightscreenModels

extension NamedSchedule {
    func starts(_ bug: PlantedBug?, _ isTraced: Bool) -> World {
        let minutes = self == .phoneThatStartsNothing ? 110 : 20
        let script = Script(bug, isTraced: isTraced, minutes: minutes)
        let phone = script.phone
        switch self {
        case .followBeforePlay:
            script.follow(30)
            script.expectRight(120)
        case .followInPlay:
            script.follow(300)
            script.expectRight(315)
        case .localStartAgainstPush:
            // The app starts one, cannot report its token, and after the start lease a push starts another.
            phone.reportsTokens = false
            script.follow(300, locally: true)
            script.expectShown(290, 0)
            script.expectShown(310, 1)
            script.expectShown(500, 2)
            script.at(510) { [unowned phone] in
                phone.reportsTokens = true
                phone.open()
            }
            script.expectRight(525)
        case .localStartUnknown:
            // The app starts one of its own accord, and then follows.
            script.at(300) { $0.phones[0].follow(1, locally: true) }
            script.at(302) { $0.phones[0].open() }
            script.expectRight(325)
            script.expect(330, "no start was sent") { $0.database.startsSent($0.database.devices[0]).deviceHour == 0 }
        case .startPastItsLease:
            script.fate(.start, first: 1, .overdue(by: 200_000))
            script.follow(300)
            script.expectShown(480, 1)
            script.expectRight(540)
        case .startWithoutAnswer:
            script.fate(.start, first: 1, .unknown(isProcessed: false))
            script.follow(300)
            script.expectShown(415, 0)
            script.expectRight(480)
        case .phoneThatStartsNothing: startsNothing(script)
        case .deadStartToken:
            // Rotated while the app could not say so: a silent push wakes it.
            phone.answersSilent = true
            script.at(290) { [unowned phone] in phone.rotateStartToken(reports: false) }
            script.follow(300)
            script.expectRight(400)
        case .doubleFiredStartToken:
            script.at(299) { world in
                guard let token = world.phones[0].startToken else { return }
                for wait in [0, 1, 700, 1_500] {
                    world.after(wait) { [unowned world] in
                        let phone = world.phones[0]
                        _ = world.gateway.execute(.startToken(token), phone.user, phone.device, phone)
                    }
                }
            }
            script.follow(299)
            script.expectRight(320)
            script.expect(330, "one start") { $0.database.startsSent($0.database.devices[0]).deviceHour == 1 }
        case .unfollowAgainstStart:
            // The start cannot be sent at once; meanwhile the user changes his mind.
            script.fate(.start, first: 1, .trouble)
            script.follow(300)
            script.at(301) { [unowned phone] in phone.unfollow(1, endsItself: false) }
            for again in 0..<30 {
                script.follow(400 + again * 3)
                script.world.at(World.begin + 400_000 + again * 3_000 + 40 + again * 25) { [unowned phone] in
                    phone.unfollow(1, endsItself: false)
                }
            }
            script.expectShown(520, 0)
        case .startTwiceAndUnfollow:
            // Both activities are reported after the unfollow, and the end to the first cannot be sent at once.
            phone.reportsTokens = false
            script.fate(.start, first: 1, .repeated(after: 1_500))
            script.fate(.end, first: 1, .trouble)
            script.follow(300)
            script.at(304) { [unowned phone] in phone.unfollow(1, endsItself: false) }
            script.at(306) { [unowned phone] in
                phone.reportsTokens = true
                phone.open()
            }
            script.expectShown(307, 2)
            script.expectShown(330, 0)
        default: break
        }
        return script.run()
    }

    /// Every start is lost: three tries, a silent push, a visible one, nothing more; the app tries again.
    private func startsNothing(_ script: Script) {
        var (starts, silent, visible) = (0, 0, 0)
        script.world.apns.fate = { [unowned world = script.world] push in
            switch push.kind {
            case .start: starts += 1
            case .silent: silent += 1
            case .visible: visible += 1
            case .update, .end: break
            }
            return push.kind == .start && world.now < World.begin + 105 * 60_000 ? .lost : nil
        }
        script.follow(30)
        script.expect(1_200, "three tries, a silent and a visible push") { _ in
            starts == 3 && silent == 1 && visible == 1
        }
        // The app is opened again and again: no more than six starts in an hour.
        for second in [1_230, 1_300, 2_000, 2_600] { script.at(second) { $0.phones[0].open() } }
        script.expect(3_500, "six starts in the hour") { _ in starts <= 6 && starts > 3 }
        script.expect(3_500, "one notification a day") { _ in visible == 1 }
        script.at(106 * 60) { $0.phones[0].open() }
        script.expectRight(107 * 60)
    }
}
