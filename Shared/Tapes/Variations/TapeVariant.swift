/// The way in which the provider misbehaves on a tape. The frames of a variant depend on the seed; each variant ends
/// with the clean tape's last frames, right and complete.
///
/// Frames with a flaw (`TapeFlaw`) lie between right frames. The scorecard is consistent in each of them except the
/// torn ones: a wicket that never fell has put its batter out with `fow_score`, and the bowler's figures follow.
public enum TapeVariant: String, CaseIterable, Sendable {
    /// One frame for each ball, without flaws. The seed is not used.
    case clean
    /// A poll sees 0 to 3 balls at once, and some were typed in one go.
    case batching
    /// Frames are repeated 1 to 4 times, 5 s apart; in half of them `updated_at` of all batting and bowling rows moves.
    case repeats
    /// About 1 ball in 7 is first posted wrong, and corrected under the same id 5 to 10 s later: mostly before the next
    /// ball, sometimes after it. `ScorerSlip` has the kinds.
    case corrections
    /// About 1 ball in 15 is preceded by a ball of any kind that was never bowled, which disappears 5 to 15 s later.
    /// The real ball has its label and a later id.
    case deletions
    /// Replies fall between two seconds: balls are ahead of all rows or behind them, or `runs` and `scoreboards` ahead
    /// of batting and bowling or behind them; the whole frame follows 5 s later.
    case torn
    /// Now and then an answer is older than the one before it, by 1 to 3 frames; then the newer one comes again.
    case stale
    /// `Finished` comes without winner and note; then with the wrong winner and no note, if the match has a winner to
    /// get wrong; then right, all within 4 minutes.
    case lateResult = "late-result"
    /// Minutes pass without an answer: the next frame is overs later, mostly in one place an innings later, and for one
    /// seed in three the whole middle of the match is missing.
    case gaps
    /// The status turns to `Int.` or `Drinks Break`, once to nothing, and back, while nothing else changes.
    case flaps
    /// All variants at once.
    case storm
}
