import Activities
import SightscreenModels

extension NamedSchedule {
    func ends(_ bug: PlantedBug?, _ isTraced: Bool) -> World {
        let users = self == .dismissalOnOneOfTwoPhones ? [0, 0] : [0]
        let script = Script(bug, isTraced: isTraced, users: users, minutes: 40)
        let phone = script.phone
        let isFollowed: (World) -> Bool = { !$0.database.follows.isEmpty }
        switch self {
        case .dismissalAfterAnEnd:
            // The result stays on the Lock Screen until the user swipes it away; the match goes on after all.
            script.follow(30)
            var shown: PhoneActivity?
            script.at(200) { [unowned phone] in shown = phone.running(1).first }
            script.become(300, .settled)
            script.expectShown(700, 0)
            script.at(710) { world in
                guard let shown else { return world.fail("expected", "an activity") }
                world.phones[0].dismiss(shown)
            }
            script.expect(720, "still followed", isFollowed)
            script.become(800, .live)
            script.expectRight(860)
        case .dismissalOnOneOfTwoPhones:
            script.follow(30)
            script.expectShown(200, 1, phone: 1)
            script.at(210) { [unowned phone] in if let shown = phone.running(1).first { phone.dismiss(shown) } }
            script.expect(212, "not followed") { !isFollowed($0) }
            script.expectShown(214, 0, phone: 1)
            script.expectShown(300, 0)
        case .unfollowFollowUnfollow:
            script.follow(30)
            script.at(200) { [unowned phone] in
                phone.unfollow(1, endsItself: false)
                phone.follow(1, locally: false)
                phone.unfollow(1, endsItself: false)
            }
            script.expectShown(205, 0)
            script.expect(210, "not followed") { !isFollowed($0) }
            script.follow(250)
            script.expectRight(270)
        case .offlineUnfollow:
            script.follow(30)
            script.at(200) { [unowned phone] in
                phone.setOnline(false)
                phone.world.noteFault(until: phone.world.now + 620_000)
                phone.unfollow(1, endsItself: true)
            }
            script.at(800) { [unowned phone] in phone.setOnline(true) }
            script.expect(810, "not followed") { !isFollowed($0) }
            script.at(820) { world in
                let phone = world.phones[0]
                _ = world.gateway.execute(.unfollow(1), 0, phone.device, phone)
            }
            script.expectShown(830, 0)
        case .crashBetweenClaimAndEnd:
            script.follow(30)
            script.fate(.end, first: 1, .unknown(isProcessed: false))
            script.at(200) { [unowned phone] in phone.unfollow(1, endsItself: false) }
            script.expectShown(250, 0)
            // And one that dies with the end in its hands.
            script.follow(300)
            script.at(400) { world in
                world.aboutToLeave = { [unowned world] push, coordinator in
                    guard push.kind == .end else { return }
                    world.aboutToLeave = nil
                    coordinator.crash(for: 3_000)
                }
                world.phones[0].unfollow(1, endsItself: false)
            }
            script.expectShown(450, 0)
        default: break
        }
        return script.run()
    }
}
