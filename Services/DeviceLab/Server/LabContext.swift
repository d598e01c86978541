import Hummingbird
import NIOCore

/// A request with its connection, which is closed for a slow reader.
struct LabContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: Source) {
        coreContext = .init(source: source)
        channel = source.channel
    }
}
