import NIOCore
import ServiceKit
import TestKit
import Testing

@testable import APIGateway

@Suite struct TrustedProxiesTests {
    private func proxies(_ texts: String...) throws -> TrustedProxies {
        TrustedProxies(try texts.map { try #require(AddressBlock($0)) })
    }

    private func client(_ peer: String, _ fields: String..., behind proxies: TrustedProxies) -> String {
        proxies.client(peer: IPAddress(peer), forwardedFor: fields).description
    }

    @Test func nobodyIsBelievedWithoutASetting() {
        #expect(client("203.0.113.7", "198.51.100.1", behind: .none) == "203.0.113.7")
        #expect(client("127.0.0.1", "198.51.100.1", behind: .none) == "127.0.0.1")
    }

    @Test func theRightmostAddressThatIsNoProxyOfOursCounts() throws {
        let ours = try proxies("10.0.0.0/8", "2001:db8:1::/48")
        #expect(client("10.1.2.3", "198.51.100.1", behind: ours) == "198.51.100.1")
        #expect(client("10.1.2.3", "1.1.1.1, 198.51.100.1", behind: ours) == "198.51.100.1")
        #expect(client("10.1.2.3", "1.1.1.1,198.51.100.1 ,\t10.9.9.9", behind: ours) == "198.51.100.1")
        #expect(client("10.1.2.3", "1.1.1.1", "198.51.100.1", "10.9.9.9", behind: ours) == "198.51.100.1")
        #expect(client("2001:db8:1::5", "2001:db8:2::9", behind: ours) == "2001:db8:2::9")
        #expect(client("::ffff:10.1.2.3", "::ffff:198.51.100.1", behind: ours) == "198.51.100.1")
        #expect(client("203.0.113.7", "198.51.100.1", behind: ours) == "203.0.113.7", "the peer is a stranger")
        #expect(client("11.1.2.3", "198.51.100.1", behind: ours) == "11.1.2.3")
    }

    @Test func withoutAClientInTheListTheFurthestProxyCounts() throws {
        let ours = try proxies("10.0.0.0/8")
        #expect(client("10.1.2.3", behind: ours) == "10.1.2.3")
        #expect(client("10.1.2.3", "10.0.0.1, 10.0.0.2", behind: ours) == "10.0.0.1")
    }

    @Test(arguments: [
        "", " ", "unknown", "_hidden", "1.2.3", "1.2.3.4.5", "256.1.1.1", "01.2.3.4", "1.2.3.4:", "1.2.3.4:123456",
        "1.2.3.4:x", "[1.2.3.4]", "[::1", "::1]", "[::1]x", "[::1]:", "1:2:3:4:5:6:7", "fe80::1%eth0", "0x1.2.3.4",
        "1.2.3.4 5.6.7.8", "\"1.2.3.4\"", "for=1.2.3.4", "١.2.3.4", "::ffff:1.2.3.256", "1.2.3.4\0",
    ])
    func aMalformedEntryEndsTheWalk(_ entry: String) throws {
        let ours = try proxies("10.0.0.0/8")
        #expect(client("10.1.2.3", "198.51.100.1, \(entry), 10.0.0.1", behind: ours) == "10.0.0.1")
        #expect(client("10.1.2.3", "198.51.100.1, \(entry)", behind: ours) == "10.1.2.3")
    }

    @Test func aPortIsDropped() throws {
        let ours = try proxies("10.0.0.0/8")
        #expect(client("10.1.2.3", "198.51.100.1:4711", behind: ours) == "198.51.100.1")
        #expect(client("10.1.2.3", "[2001:db8::1]:4711", behind: ours) == "2001:db8::1")
        #expect(client("10.1.2.3", "[2001:db8::1]", behind: ours) == "2001:db8::1")
    }

    @Test func aPeerWithoutAnAddressIsUnknownWhateverItSays() throws {
        let client = try proxies("10.0.0.0/8").client(peer: nil, forwardedFor: ["198.51.100.1"])
        #expect(client.address == nil)
        #expect(client.network == nil)
        #expect("\(client)" == "unknown")
        #expect(IPAddress(try SocketAddress(unixDomainSocketPath: "/tmp/x")) == nil)
        #expect(IPAddress(SocketAddress?.none) == nil)
    }

    @Test func clientsOfIPv6AreCountedByTheirNetwork() throws {
        let network = { (text: String) in ClientAddress(address: IPAddress(text)).network?.description }
        #expect(network("2001:db8:1:2:3:4:5:6") == "2001:db8:1:2::/64")
        #expect(network("2001:db8:1:2::9") == network("2001:db8:1:2:ffff::"))
        #expect(network("2001:db8:1:3::9") != network("2001:db8:1:2::9"))
        #expect(network("203.0.113.7") == "203.0.113.7")
        #expect(network("::ffff:203.0.113.7") == "203.0.113.7")
        #expect(network("203.0.113.8") != network("203.0.113.7"))
    }

    @Test func anAddressIsWrittenInItsUsualForm() throws {
        for text in [
            "0.0.0.0", "255.255.255.255", "::", "::1", "1::", "2001:db8::1", "1:2:3:4:5:6:7:8", "1:0:3::6:7:8",
        ] {
            #expect(IPAddress(text)?.description == text)
        }
        #expect(IPAddress("2001:DB8:0:0:1:0:0:1")?.description == "2001:db8::1:0:0:1")
        #expect(IPAddress("1:0:3:4:5:6:7:8")?.description == "1:0:3:4:5:6:7:8")
        let socket = try SocketAddress(ipAddress: "2001:db8::7", port: 80)
        #expect(IPAddress(socket)?.description == "2001:db8::7")
    }

    @Test func blocksHaveEdges() throws {
        let contains = { (block: String, address: String) in
            try #require(AddressBlock(block)).contains(try #require(IPAddress(address)))
        }
        #expect(try contains("10.0.0.0/8", "10.255.255.255"))
        #expect(try !contains("10.0.0.0/8", "11.0.0.0"))
        #expect(try contains("10.9.9.9/8", "10.0.0.0"), "only the leading bits count")
        #expect(try contains("192.0.2.128/25", "192.0.2.128"))
        #expect(try !contains("192.0.2.128/25", "192.0.2.127"))
        #expect(try contains("192.0.2.1", "192.0.2.1"))
        #expect(try !contains("192.0.2.1", "192.0.2.2"))
        #expect(try contains("2001:db8::/32", "2001:db8:ffff::"))
        #expect(try !contains("2001:db8::/32", "2001:db9::"))
        #expect(try contains("::ffff:10.0.0.0/104", "10.1.1.1"))
        #expect(try !contains("2000::/3", "10.1.1.1"))
    }

    @Test(arguments: [
        "10.0.0.0/33", "10.0.0.0/0", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/8/8", "::/129", "::/0", "proxy", "/8",
        "none",
    ])
    func whatIsNoBlockStopsTheService(_ text: String) throws {
        let settings = try Settings(
            environment: [
                "DATABASE_URL": "postgresql://x@/x?host=/tmp", "COGNITO_ISSUER": "https://a.example",
                "TOKEN_KEY_FILE": TestTokenKeys.path,
                "COGNITO_CLIENT_ID": "a", "TRUSTED_PROXIES": "192.0.2.1, \(text)",
            ], arguments: [], service: APIGatewayConfiguration.service)
        let error = #expect(throws: ConfigurationError.self) { try APIGatewayConfiguration(settings) }
        #expect(error?.setting == "TRUSTED_PROXIES")
    }
}
