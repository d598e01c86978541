import Activities
import SightscreenModels

extension NamedSchedule {
    func matches(_ bug: PlantedBug?, _ isTraced: Bool) -> World {
        let script: Script =
            switch self {
            case .stumpsOvernight: Script(bug, isTraced: isTraced, minutes: 1_500, every: 120)
            case .renewalInTheLastOvers: Script(bug, isTraced: isTraced, minutes: 510, every: 60)
            case .flushDuringABreak: Script(bug, isTraced: isTraced, minutes: 40, breaks: [(600, 1_700)])
            case .rain: Script(bug, isTraced: isTraced, minutes: 130, breaks: [(1_200, 6_700)])
            default: Script(bug, isTraced: isTraced, minutes: 60)
            }
        let phone = script.phone
        switch self {
        case .tieThenSuperOver:
            script.follow(30)
            script.at(600) { world in
                let until = world.now + LabBus.superOverWait
                world.bus.play(1) {
                    $0.phase = .inBreak
                    $0.waitsUntil = until
                }
            }
            script.expectShown(1_150, 1)
            script.become(1_200, .live)
            script.expectRight(1_300)
            script.become(1_800, .settled)
            script.expectShown(2_050, 1)
            script.expectShown(2_200, 0)
        case .stumpsOvernight:
            script.follow(30)
            script.expectRight(3_600)
            script.become(7 * 3_600, .stumps)
            script.expectShown(7 * 3_600 + 90, 0)
            script.expectShown(20 * 3_600, 0)
            script.become(24 * 3_600, .live)
            script.expectRight(24 * 3_600 + 90)
        case .renewalInTheLastOvers:
            script.follow(30)
            var first: PhoneActivity?
            script.at(600) { [unowned phone] in first = phone.running(1).first }
            for minute in stride(from: 10, to: 495, by: 5) { script.expectRight(minute * 60 + 50) }
            script.expect(475 * 60, "another activity after 7 h 50") {
                first != nil && $0.phones[0].running(1).first !== first
            }
            script.become(500 * 60, .settled)
        case .flushDuringABreak:
            script.become(600, .inBreak)
            script.follow(1_000)
            script.expectRight(1_015)
            script.at(1_200) { [unowned phone] in phone.setAllows(false) }
            script.at(1_260) { [unowned phone] in phone.setAllows(true) }
            script.at(1_300) { [unowned phone] in phone.follow(1, locally: true) }
            script.expectRight(1_400)
            script.become(1_700, .live)
        case .reopened:
            script.follow(30)
            script.become(600, .settled)
            script.expectShown(960, 0)
            script.become(1_200, .live)
            script.expectRight(1_260)
        case .postponedThenPlayed:
            script.follow(30)
            script.at(600) { $0.bus.play(1) { $0.isCalledOff = true } }
            script.expectShown(720, 0)
            script.at(1_800) {
                $0.bus.play(1) {
                    $0.isCalledOff = false
                    $0.phase = .live
                }
            }
            script.expectRight(1_900)
        case .rain:
            script.follow(30)
            script.become(1_200, .suspended)
            for second in stride(from: 2_000, to: 6_700, by: 900) {
                script.at(second) { [unowned phone] in phone.open() }
            }
            script.expectRight(5_000)
            script.become(6_720, .live)
            script.expectRight(6_800)
        default: break
        }
        return script.run()
    }
}
