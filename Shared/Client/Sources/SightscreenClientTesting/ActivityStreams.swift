import SightscreenClient
import SightscreenModels

/// What the app hears of one activity.
struct ActivityStreams {
    let tokens = Broadcast<UpdateToken>()
    let contents: Broadcast<ShownContent>
    /// There are four states; out of date and back again are news only for a moment.
    let states: Broadcast<PhoneActivityState>

    init(_ activity: PhoneActivity) {
        contents = Broadcast(activity.content)
        states = Broadcast(activity.state, buffer: 4)
    }

    var listenerCount: Int { tokens.readerCount + contents.readerCount + states.readerCount }

    func disconnect() {
        tokens.disconnect()
        contents.disconnect()
        states.disconnect()
    }
}
