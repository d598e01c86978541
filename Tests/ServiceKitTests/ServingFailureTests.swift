import Glibc
import NIOCore
import Testing

@testable import ServiceKit

@Suite struct ServingFailureTests {
    private struct Other: Error, CustomStringConvertible {
        var description: String { "something else" }
    }

    private func line(_ error: any Error) -> String {
        ErrorChain.describe(
            ServingFailure(error, host: "127.0.0.1", port: 80, settings: .init(host: "X_HOST", port: "X_PORT")))
    }

    @Test(arguments: [
        (EADDRINUSE, "X_PORT: cannot serve at 127.0.0.1:80, because: Address already in use"),
        (EACCES, "X_PORT: cannot serve at 127.0.0.1:80, because: Permission denied"),
        (EADDRNOTAVAIL, "X_HOST: cannot serve at 127.0.0.1:80, because: Cannot assign requested address"),
        // No other port would help.
        (EMFILE, "cannot serve at 127.0.0.1:80, because: Too many open files"),
    ])
    func namesTheSettingToChange(_ code: Int32, _ text: String) {
        #expect(line(IOError(errnoCode: code, reason: "bind(descriptor:ptr:bytes:)")) == text)
    }

    @Test func namesTheHostThatIsNoAddress() {
        #expect(line(SocketAddressError.unsupported).hasPrefix("X_HOST: cannot serve at 127.0.0.1:80, because: "))
    }

    @Test func namesNoSettingForAnythingElse() {
        #expect(line(Other()) == "cannot serve at 127.0.0.1:80, because: something else")
    }
}
