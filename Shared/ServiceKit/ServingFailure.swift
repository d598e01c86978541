import Glibc
import NIOCore

/// A server of this process could not begin, or broke down. When its address is to blame, the setting to change is named.
///
/// A service ends with status 1 for it and not with 78: whoever has the port may be about to end, and a supervisor tries again.
public struct ServingFailure: Error, CustomStringConvertible {
    /// Names of settings, or flags.
    public struct AddressSettings: Sendable {
        public var host: String
        public var port: String

        public init(host: String, port: String) {
            self.host = host
            self.port = port
        }
    }

    public let description: String
    public let cause: any Error

    public init(setting: String?, host: String, port: Int, cause: any Error) {
        description = "\(setting.map { "\($0): " } ?? "")cannot serve at \(host):\(port)"
        self.cause = cause
    }

    /// - Parameter error: of NIO, which does not say where it wanted to listen.
    public init(_ error: any Error, host: String, port: Int, settings: AddressSettings) {
        guard let refusal = error as? IOError else {
            let isOfHost = error is SocketAddressError || error is SocketAddressError.UnknownHost
            self.init(setting: isOfHost ? settings.host : nil, host: host, port: port, cause: error)
            return
        }
        let setting: String? =
            switch refusal.errnoCode {
            case EADDRINUSE, EACCES: settings.port
            case EADDRNOTAVAIL: settings.host
            default: nil
            }
        // NIO's own words name a function of NIO's, and close a bracket that nobody has opened.
        self.init(setting: setting, host: host, port: port, cause: POSIXErrno(code: refusal.errnoCode))
    }
}
