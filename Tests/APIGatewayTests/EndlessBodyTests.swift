import Testing

@testable import APIGateway

/// A body that does not end, to every kind of answer.
@Suite struct EndlessBodyTests {
    enum Form: CaseIterable { case chunks, chunkExtension, length }

    /// Far more than the kernel's buffers hold, and less than a second's worth.
    private static let bytesMax = 64 << 20
    private static let piece = [UInt8](repeating: UInt8(ascii: "a"), count: 65_536)

    private static func head(_ method: String, _ path: String, _ form: Form, _ headers: [String]) -> String {
        let framing =
            switch form {
            case .chunks, .chunkExtension: "Transfer-Encoding: chunked"
            case .length: "Content-Length: 100000000000"
            }
        let lines = ["\(method) \(path) HTTP/1.1", "Host: a", framing, "Content-Type: application/json"] + headers
        return lines.joined(separator: "\r\n") + "\r\n\r\n"
            + (form == .chunks ? "100000000\r\n" : form == .chunkExtension ? "1;x=" : "")
    }

    @Test(arguments: Form.allCases) func noRouteReadsABodyThatDoesNotEnd(_ form: Form) async throws {
        try await GatewayHarness.run(environment: ["TRUSTED_PROXIES": "127.0.0.1"]) { gateway in
            let bearer = "Authorization: Bearer \(try GatewayHarness.bearer("alice"))"
            var calls = gateway.routes.filter { $0.access != .admins }.map { route in
                (route.method, route.path.replacing(":id", with: "77").replacing(":deviceToken", with: "x"), [bearer])
            }
            calls += [
                ("GET", "/nothing", []), ("PUT", "/health", []), ("POST", "/devices", []), ("GET", "/admin/hold", []),
                ("POST", "/devices", ["Authorization: Bearer x"]), ("GET", "/admin/hold", ["X-API-Key: guess"]),
            ]
            for (method, path, headers) in calls {
                let client = try RawClient(port: gateway.port)
                try await client.send(Self.head(method, path, form, headers))
                var sent = 0
                while sent < Self.bytesMax, try await client.send(Self.piece) { sent += Self.piece.count }
                #expect(sent < Self.bytesMax, "\(method) \(path) reads on")
            }
        }
    }

    /// An answer that is given before the body was read reaches a client that writes first, and the connection goes on.
    @Test(arguments: [("GET", "/nothing", 404), ("PUT", "/health", 405), ("POST", "/devices", 401)])
    func aBodyThatIsALittleTooLongCostsNoConnection(_ method: String, _ path: String, _ status: Int) async throws {
        try await GatewayHarness.run { gateway in
            let client = try RawClient(port: gateway.port)
            let size = GatewayLimits.bodyWireBytesMax - 8_192
            let chunk = String(repeating: "a", count: size)
            try await client.send(
                "\(method) \(path) HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "\(String(size, radix: 16))\r\n\(chunk)\r\n0\r\n\r\n")
            try await client.send(RawRequest.live)
            #expect(try await client.answers(2).map(\.status) == [status, 200])
        }
    }
}
