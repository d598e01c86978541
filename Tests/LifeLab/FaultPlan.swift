/// How often what goes wrong, in thousandths.
struct FaultPlan {
    var requestLost = 0
    var answerLost = 0
    var requestRepeated = 0
    var pushLost = 0
    var pushRepeated = 0
    var pushDelayed = 0
    var pushOverdue = 0
    var pushUnknown = 0
    var pushTrouble = 0
    var doorbellLost = 0
    var deadTokenAccepted = 0
    var tokenNotReported = 0

    static let none = FaultPlan()

    static func random(_ random: inout SplitMix64) -> FaultPlan {
        var plan = FaultPlan()
        func rate(_ most: Int) -> Int { random.below(3) == 0 ? 0 : random.below(most) }
        plan.requestLost = rate(250)
        plan.answerLost = rate(200)
        plan.requestRepeated = rate(200)
        plan.pushLost = rate(200)
        plan.pushRepeated = rate(100)
        plan.pushDelayed = rate(200)
        plan.pushOverdue = rate(60)
        plan.pushUnknown = rate(150)
        plan.pushTrouble = rate(150)
        plan.doorbellLost = rate(600)
        plan.deadTokenAccepted = rate(400)
        plan.tokenNotReported = rate(150)
        return plan
    }
}
