import SightscreenClient
import SightscreenModels

/// The streams of one activity that the app reads.
struct ActivityStreams {
    let tokens = Broadcast<UpdateToken>()
    let contents: Broadcast<ShownContent>
    /// The states. The buffer holds five, the number of states. A change to stale and back matters only for a moment,
    /// so it may be missed.
    let states: Broadcast<PhoneActivityState>

    init(_ activity: PhoneActivity) {
        contents = Broadcast(activity.content)
        states = Broadcast(activity.state, buffer: 5)
    }

    var listenerCount: Int { tokens.readerCount + contents.readerCount + states.readerCount }

    func disconnect() {
        tokens.disconnect()
        contents.disconnect()
        states.disconnect()
    }
}
