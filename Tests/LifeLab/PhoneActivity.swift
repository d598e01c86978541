import SightscreenModels

/// A Live Activity on a simulated phone.
final class PhoneActivity {
    let id: ActivityID
    let match: Int
    let start: StartID?
    let startedAt: Int
    var token: UpdateToken?
    /// Since when the server knows its token.
    var registeredAt: Int?
    var isRunning = true
    /// APNs took an end to it and it never arrived: nobody can know.
    var lostItsEnd = false
    /// Not swiped away, nor taken away by a restart.
    var isVisible = true
    var stamp: Int
    var version: Int
    var epoch: Int
    var content: Int
    var shownAt: Int

    init(id: ActivityID, match: Int, start: StartID?, at now: Int, stamp: Int, version: Int, epoch: Int, content: Int) {
        self.id = id
        self.match = match
        self.start = start
        startedAt = now
        shownAt = now
        self.stamp = stamp
        self.version = version
        self.epoch = epoch
        self.content = content
    }
}
