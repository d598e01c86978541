import Activities
import SightscreenModels

extension NamedSchedule {
    func failures(_ bug: PlantedBug?, _ isTraced: Bool) -> World {
        let breaks = self == .updateWithoutAnswer ? [(400, 1_000)] : []
        let script = Script(bug, isTraced: isTraced, minutes: 30, breaks: breaks)
        let phone = script.phone
        script.follow(30)
        switch self {
        case .failoverLosesTheNewestVersion:
            script.at(300) { $0.failOver(match: 1, for: 4_000) }
            script.expectRight(335)
            script.at(600) { $0.failOver(match: 1, for: 3_000) }
            script.expectRight(635)
        case .everythingKilled:
            script.follow(300)
            script.at(301) { world in
                for coordinator in world.coordinators { coordinator.crash(for: 2_000) }
                world.orchestrator.crash(for: 2_000)
                world.database.fail(for: 3_000, loses: false)
            }
            script.expectRight(375)
        case .alertWithoutAnswer:
            script.fate(.update, from: 299, first: 1, .unknown(isProcessed: true))
            script.at(300) { $0.bus.play(1, alert: true) }
            script.expectRight(335)
        case .takeoverAmidAnAlert:
            script.at(300) { world in
                world.aboutToLeave = { [unowned world] push, coordinator in
                    guard push.alert != nil else { return }
                    world.aboutToLeave = nil
                    world.after(300) { [unowned coordinator] in coordinator.crash(for: 60_000) }
                }
                world.bus.play(1, alert: true)
            }
            script.expectRight(350)
        case .updateWithoutAnswer:
            script.fate(.update, from: 399, first: 1, .unknown(isProcessed: false))
            script.at(400) { $0.bus.play(1) }
            script.expectRight(440)
        case .pausedSender:
            // Frozen with an update in its hands; meanwhile the user unfollows.
            for second in [300, 500, 700] {
                script.at(second) { world in
                    world.aboutToLeave = { [unowned world] push, coordinator in
                        world.aboutToLeave = nil
                        coordinator.pause(for: 30_000)
                    }
                }
                script.at(second + 25) { [unowned phone] in phone.unfollow(1, endsItself: false) }
                script.expectShown(second + 60, 0)
                script.follow(second + 70)
                script.expectRight(second + 140)
            }
        default: break
        }
        return script.run()
    }
}
