import Activities
import Store

/// All in which the rules and the statements differ on purpose. Nothing else is left out of the comparison.
///
/// - The rules know neither `FOLLOW_RETENTION` nor the purge of what has had its time: no run lasts that long.
/// - Of starts that are no longer in question (of an ended generation) tries and leases are not compared: nobody reads
///   them but the count of a phone's hour and day, which the rules are told.
/// - A push of the fallback that is due and has not left, because it is held or the phone has no device token: the
///   rules take it for sent at once. Here it leaves at once.
/// - What an answered start says about the fallback the rules note at once, the statements in the next pass: the
///   phone's line is compared after a pass.
enum LifeDifferences {
    /// `START_LEAD`: a start that waits goes out before play, too. The rules know no lead.
    static func asIfInPlay(_ life: LifeModel, _ body: (inout LifeModel) -> [LifeIntent]) -> (
        LifeModel, [LifeIntent]
    ) {
        var changed = life
        if changed.phase == .notLive { changed.phase = .live }
        let intents = body(&changed)
        changed.phase = life.phase
        return (changed, intents)
    }

    /// A phone that has had its starts of the hour or the day gets no record in a pass, only from a request: the
    /// statement spares the rows of phones that get nothing. The rule makes it, and lets it wait.
    static func withoutNewGeneration(_ life: inout LifeModel, than before: Int) {
        while life.generations.count > before { life.generations.removeFirst() }
    }
}
