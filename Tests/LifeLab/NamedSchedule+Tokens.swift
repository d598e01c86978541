import Activities
import SightscreenModels

extension NamedSchedule {
    func tokens(_ bug: PlantedBug?, _ isTraced: Bool) -> World {
        let script = Script(bug, isTraced: isTraced, users: self == .accountSwitch ? [0, 1] : [0], minutes: 40)
        let phone = script.phone
        switch self {
        case .endedTokenComesBack:
            // The end was lost on the way; the token's report was executed twice, the second time late.
            script.follow(30)
            script.fate(.end, first: 1, .lost)
            var report: PhoneMessage?
            script.at(200) { [unowned phone] in
                guard let shown = phone.running(1).first, let token = shown.token else { return }
                report = .token(1, token, shown.id, shown.start)
                phone.unfollow(1, endsItself: false)
            }
            script.expectShown(220, 1)
            script.at(230) { world in
                guard let report else { return world.fail("expected", "an activity") }
                _ = world.gateway.execute(report, 0, world.phones[0].device, world.phones[0])
            }
            script.expectShown(240, 0)
            script.expect(250, "not followed") { $0.database.follows.isEmpty }
        case .lateTokenAfterTheMatch:
            phone.reportsTokens = false
            script.follow(30)
            script.expectShown(150, 1)
            script.become(160, .settled)
            script.expectShown(600, 1)
            script.at(620) { [unowned phone] in
                phone.reportsTokens = true
                phone.open()
            }
            script.expectShown(640, 0)
        case .rotationOutOfOrder:
            script.follow(30)
            script.at(200) { world in
                guard let shown = world.phones[0].running(1).first, let token = shown.token else { return }
                world.phones[0].rotateToken(shown)
                world.after(10_000) { [unowned world] in
                    let phone = world.phones[0]
                    _ = world.gateway.execute(.token(1, token, shown.id, shown.start), 0, phone.device, phone)
                }
            }
            script.expectRight(260)
        case .accountSwitch:
            // The other user follows, too, on a phone of his own; then he borrows this one.
            script.follow(30)
            script.follow(32, phone: 1)
            script.expectShown(200, 1)
            script.at(210) { [unowned phone] in phone.switchAccount(to: 1) }
            script.expectRight(280)
            script.at(290) { [unowned phone] in phone.switchAccount(to: 2) }
            script.expectShown(320, 0)
            script.expectShown(321, 1, phone: 1)
        case .reinstall:
            script.follow(30)
            script.at(200) { [unowned phone] in phone.install() }
            script.expectRight(260)
        case .deadToken:
            // The system ended it while the app did not run: a silent push asks, and the app says so.
            phone.answersSilent = true
            script.follow(30)
            script.at(200) { [unowned phone] in if let shown = phone.running(1).first { phone.vanish(shown) } }
            script.expectShown(202, 0)
            script.expectRight(260)
        case .swipedAway:
            // While the app did not run: the app cannot say so, and nothing brings it back but the user.
            phone.answersSilent = true
            script.follow(30)
            script.at(200) { [unowned phone] in
                if let shown = phone.running(1).first { phone.dismiss(shown, reports: false) }
            }
            for second in [230, 260, 400, 800, 1_200] { script.expectShown(second, 0) }
            script.at(600) { [unowned phone] in phone.open() }
            script.at(900) { [unowned phone] in phone.restart() }
            script.at(1_000) { [unowned phone] in phone.open() }
            script.expect(1_201, "still followed") { !$0.database.follows.isEmpty }
            script.follow(1_210)
            script.expectRight(1_300)
        case .restarted:
            script.follow(30)
            script.at(200) { [unowned phone] in phone.restart() }
            script.expectShown(600, 0)
            script.at(610) { [unowned phone] in phone.open() }
            script.expectRight(660)
        case .verdictOlderThanRegistration:
            script.follow(30)
            script.fate(.update, from: 200, first: 1, .dead(since: World.begin + 20_000))
            script.expect(260, "still the first generation") { $0.database.lives.values.first?.generations.count == 1 }
            script.expectRight(265)
        case .providerTrouble:
            script.follow(30)
            script.fate(.update, from: 200, first: 40, .trouble)
            script.expect(600, "still the first generation") { $0.database.lives.values.first?.generations.count == 1 }
            script.expectRight(900)
        default: break
        }
        return script.run()
    }
}
