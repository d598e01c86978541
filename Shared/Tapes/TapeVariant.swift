/// How the provider misbehaves on a tape. A variant's frames differ by a seed; each ends with the clean tape's last
/// frames, everything right and complete.
///
/// Between right frames lie those with a flaw (`TapeFlaw`). Scorecards are consistent in each of them but the torn ones:
/// a wicket that never fell has put its batter out with `fow_score`, and the bowler's figures follow.
public enum TapeVariant: String, CaseIterable, Sendable {
    /// One frame for each ball, nothing wrong. The seed is of no account.
    case clean
    /// A poll sees 0 to 3 balls at once; some were typed in one go.
    case batching
    /// Frames come again 1 to 4 times, 5 s apart; in half of them `updated_at` of all batting and bowling rows moves.
    case repeats
    /// About 1 ball in 7 is first posted wrong, and put right under the same id 5 to 10 s later: mostly before the next
    /// ball, sometimes when that is there already. See `ScorerSlip` for the kinds.
    case corrections
    /// About 1 ball in 15 comes after a ball that never was, of any kind, which disappears 5 to 15 s later. The real one
    /// has its label and a later id.
    case deletions
    /// Replies from between two seconds: balls ahead of all rows or behind them, `runs` and `scoreboards` ahead of
    /// batting and bowling or behind them; the whole frame 5 s later.
    case torn
    /// Now and then an answer is older, by 1 to 3 frames, than the one before it; then the newer comes again.
    case stale
    /// `Finished` without winner and note; then with the wrong winner and no note, if there is one to get wrong; then
    /// right, all inside 4 minutes.
    case lateResult = "late-result"
    /// Minutes without an answer: the next frame is overs later, mostly in one place an innings later, and for one seed
    /// in three the whole middle of the match is missing.
    case gaps
    /// The status turns to `Int.`, `Drinks Break`, once to nothing, and back, while nothing else changes.
    case flaps
    /// All of them.
    case storm
}
