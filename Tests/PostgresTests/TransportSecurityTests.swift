import TestKit
import Testing

@testable import Postgres

@Suite struct TransportSecurityTests {
    @Test(
        arguments: [
            (nil, nil, true), ("", nil, true), ("/var/run/postgresql", nil, true), ("@abstract", nil, true),
            ("localhost", nil, true), ("LOCALHOST", nil, true), ("127.0.0.1", nil, true), ("127.83.1.2", nil, true),
            ("::1", nil, true), ("::ffff:127.0.0.1", nil, true), ("db.example.com", nil, false),
            ("10.0.0.5", nil, false),
            ("::ffff:10.0.0.5", nil, false), ("fd00::1", nil, false), ("localhost.example.com", nil, false),
            ("127.0.0.1.example.com", nil, false), ("127.0.0.1 x", nil, false), ("0.0.0.0", nil, false),
            // An address goes before a name.
            ("localhost", "10.0.0.5", false), ("db.example.com", "127.0.0.1", true), ("/socket", "10.0.0.5", false),
            (nil, "10.0.0.5", false), (nil, "::1", true),
            // Each entry counts.
            ("localhost,db.example.com", nil, false), ("localhost,/socket,", nil, true),
            (",db.example.com", nil, false),
            ("a,b", "127.0.0.1,::1", true), ("a,b", "127.0.0.1,", false), ("a,localhost", "127.0.0.1,", true),
        ] as [(String?, String?, Bool)])
    func onlyWhatStaysOnTheMachineIsLocal(_ names: String?, _ addresses: String?, _ isLocal: Bool) {
        #expect(PostgresHost.list(names: names, addresses: addresses).allSatisfy(\.isLocal) == isLocal)
    }

    @Test(arguments: [
        "postgresql://u:p@db.example.com/x", "postgresql://u:p@10.0.0.5/x",
        "postgresql://u:p@localhost,db.example.com/x",
        "postgresql://u:p@localhost/x?hostaddr=10.0.0.5", "postgresql://u:p@/x?host=db.example.com",
        "postgresql://u:p@db.example.com/x?sslmode=verify-full&channel_binding=require",
    ])
    func anotherMachineMustProveWhoItIs(_ url: String) throws {
        try withCertificate { file in
            let configuration = try PostgresConfiguration(
                url: "\(url)\(url.contains("?") ? "&" : "?")sslrootcert=\(file)", applicationName: "tests")
            for host in configuration.hosts {
                let parameters = Dictionary(
                    configuration.parameters(of: host, address: host.address), uniquingKeysWith: { $1 })
                #expect(parameters["sslmode"] == "verify-full")
                #expect(parameters["channel_binding"] == "require")
                #expect(parameters["sslrootcert"] == file)
            }
        }
    }

    @Test(arguments: [
        ("sslmode=prefer", "sslmode"), ("sslmode=disable", "sslmode"), ("sslmode=allow", "sslmode"),
        ("sslmode=require", "sslmode"), ("sslmode=verify-ca", "sslmode"), ("ssl=true", "sslmode"),
        ("channel_binding=prefer", "channel_binding"), ("channel_binding=disable", "channel_binding"),
    ])
    func anythingWeakerIsRefused(_ option: String, _ named: String) throws {
        try withCertificate { file in
            for host in ["db.example.com", "localhost,db.example.com", "192.0.2.1"] {
                let url = "postgresql://u:hunter2@\(host)/x?sslrootcert=\(file)&\(option)"
                let error = #expect(throws: PostgresError.self) {
                    _ = try PostgresConfiguration(url: url, applicationName: "tests")
                }
                #expect(error?.code == .configuration)
                #expect(error?.message.contains("\(named)=") == true, "\(String(describing: error))")
                #expect(error?.message.contains("hunter2") == false)
                #expect(throws: Never.self) {
                    _ = try PostgresConfiguration(url: url, applicationName: "tests", standIns: true)
                }
            }
        }
    }

    @Test func aCertificateThatCannotBeReadIsAskedFor() {
        let error = #expect(throws: PostgresError.self) {
            try PostgresPool.check(url: "postgresql://u:p@db.example.com/x?sslrootcert=/nonexistent/ca.crt")
        }
        #expect(error?.code == .configuration)
        #expect(error?.message.contains("/nonexistent/ca.crt; add sslrootcert=FILE") == true)
    }

    @Test(arguments: [
        "postgresql://u@/x?host=/tmp", "postgresql://u@localhost/x", "postgresql://u@127.0.0.1/x?sslmode=disable",
        "postgresql://u@[::1]/x",
    ])
    func whatStaysOnTheMachineMayDoAsItLikes(_ url: String) throws {
        #expect(try PostgresConfiguration(url: url, applicationName: "tests").security.isEmpty)
    }

    @Test func optionsAreResolvedWithoutAConnection() throws {
        let server = try DecliningServer()
        let url = "postgresql://u:p@127.0.0.1:\(server.port)/x?connect_timeout=3"
        let options = try ConnectionOptions.resolved(url)
        #expect(options["host"] == "127.0.0.1")
        #expect(options["sslmode"] == "prefer")
        _ = try PostgresPool(url: url, applicationName: "tests")
        #expect(!server.isCalled(withinMs: 200))
    }

    @Test func aServiceThatDoesNotExistIsRefused() {
        let error = #expect(throws: PostgresError.self) {
            try PostgresPool.check(url: "postgresql://u:hunter2@/x?service=nowhere")
        }
        #expect(error?.code == .configuration)
        #expect(error?.message.contains("hunter2") == false)
    }

    /// The server has an address of this machine, which counts as another one: what is tested is what the pool adds.
    @Test(.enabled(if: DecliningServer.ownAddress != nil, "this machine has no address beside loopback"))
    func aServerThatDeclinesTLSGetsNothing() async throws {
        let address = try #require(DecliningServer.ownAddress)
        let server = try DecliningServer(address: address)
        let folder = try TemporaryDirectory()
        defer { folder.remove() }
        let file = folder.appending("ca.crt")
        try Tool.write("none", to: file)
        let url = "postgresql://u:hunter2@\(address):\(server.port)/x?sslrootcert=\(file)"
        #expect(try await Self.received(from: url, by: server) == [])
        // This is what it would get.
        let startup = try await Self.received(from: url, by: server, standIns: true)
        #expect(startup.isEmpty == false)
    }

    @Test func aServerThatDeclinesTLSGetsNothingWhereItIsWritten() async throws {
        let server = try DecliningServer()
        let url = "postgresql://u:hunter2@127.0.0.1:\(server.port)/x?sslmode=verify-full&sslrootcert=/dev/null"
        #expect(try await Self.received(from: url, by: server) == [])
    }

    private static func received(
        from url: String, by server: DecliningServer, standIns: Bool = false
    ) async throws -> [UInt8] {
        let pool = try PostgresPool(url: url, applicationName: "tests", standIns: standIns)
        let query = Task { try await pool.query("SELECT 1", deadline: .seconds(8)) }
        let bytes = await server.received()
        query.cancel()
        await pool.close()
        _ = await query.result
        return try #require(bytes, "the server is called")
    }

    private func withCertificate(_ body: (String) throws -> Void) throws {
        let folder = try TemporaryDirectory()
        defer { folder.remove() }
        let file = folder.appending("ca.crt")
        try Tool.write("", to: file)
        try body(file)
    }
}
