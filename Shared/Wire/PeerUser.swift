import Glibc
import NIOCore

/// Checks the user at the other end of a Unix socket, as reported by the kernel.
enum PeerUser {
    /// Linux's `struct ucred`.
    private struct Credentials: Sendable {
        var pid: Int32 = 0
        var uid: UInt32 = 0
        var gid: UInt32 = 0
    }

    /// Fails with `WireError.foreignUser` when the peer is not a process of our own user.
    static func check(_ channel: any Channel) -> EventLoopFuture<Void> {
        guard let options = channel as? any SocketOptionProvider else {
            return channel.eventLoop.makeFailedFuture(WireError(.socket, "a channel without a socket"))
        }
        let credentials: EventLoopFuture<Credentials> = options.unsafeGetSocketOption(
            level: .socket, name: NIOBSDSocket.Option(rawValue: SO_PEERCRED))
        return credentials.flatMapThrowing { peer in
            guard peer.uid == geteuid() else {
                throw WireError(.foreignUser, "a process of user \(peer.uid) (pid \(peer.pid)); ours is \(geteuid())")
            }
        }
    }
}
