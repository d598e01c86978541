import Glibc
import NIOCore

/// A server of this process could not start, or failed. If its address is the cause, the error names the setting to
/// change.
///
/// A service ends with status 1 for it and not with 78: another process that has the port may be about to end, and a
/// supervisor tries again.
public struct ServingFailure: Error, CustomStringConvertible {
    /// The names of the settings or flags for the address.
    public struct AddressSettings: Sendable {
        public var host: String
        public var port: String

        package init(host: String, port: String) {
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

    /// Makes the failure from NIO's error.
    /// - Parameter error: NIO's error, which does not say which address was wanted.
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
        // NIO's own description names one of its functions and has an unbalanced bracket, so only the error number is
        // kept.
        self.init(setting: setting, host: host, port: port, cause: POSIXErrno(code: refusal.errnoCode))
    }
}
