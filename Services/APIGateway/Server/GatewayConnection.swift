import HummingbirdCore
import NIOCore

/// A connection, and its requests unless it was refused.
struct GatewayConnection: ServerChildChannelValue {
    let channel: any Channel
    let http: HTTP1Channel.Value?
}
