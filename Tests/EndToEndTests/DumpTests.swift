import FoundationEssentials
import HTTP2
import HTTPClient
import OperatorTool
import Postgres
import Reactor
import SightscreenModels
import TestKit
import Testing
import Tokens

/// A dump of the database of a run, in the hands of somebody who has the APNs key as well: every word in it is tried as
/// a token.
@Suite struct DumpTests {
    /// One who pushes to Apple's stand-in.
    private struct Pusher {
        let connection: HTTP2ClientConnection
        let authority: String

        init(_ suite: RunningSuite) async throws {
            let address = try #require(suite.endpoints.apns.split(separator: "/").last).split(separator: ":")
            let origin = HTTP2Origin(host: String(address[0]), port: try #require(Int(address[1])))
            let certificate = "\(suite.endpoints.secrets)/apns-certificate.pem"
            connection = try await HTTP2ClientConnection.connect(
                to: origin, tls: try TLSConfiguration.client(caFile: certificate).makeContext(),
                reactor: Reactor(name: "dump"))
            authority = "\(origin.host):\(origin.port)"
        }

        /// - Returns: the status, and the reason of a refusal.
        func push(to token: String, as kind: String, with providerToken: String) async -> (Int, String) {
            let topic = DevelopmentSecrets.bundleID + (kind == "liveactivity" ? ".push-type.liveactivity" : "")
            let headers = HTTP2HeaderTemplate(
                authority: authority,
                fields: [
                    HTTP2Field("authorization", "bearer \(providerToken)"), HTTP2Field("apns-topic", topic),
                    HTTP2Field("apns-push-type", kind), HTTP2Field("apns-priority", "5"),
                ])
            let now = Int(Date().timeIntervalSince1970)
            let body =
                kind == "liveactivity"
                ? #"{"aps":{"timestamp":\#(now),"event":"update","content-state":{}}}"#
                : #"{"aps":{"content-available":1}}"#
            let outcome = await connection.submit(
                path: "/3/device/\(token)", headers: headers, body: Array(body.utf8), timeout: .seconds(5))
            guard case .response(let response) = outcome else { return (0, "\(outcome)") }
            struct Refusal: Decodable { var reason: String }
            return (
                response.status,
                (try? JSONDecoder().decode(Refusal.self, from: Data(response.body)))?.reason ?? ""
            )
        }

        /// What APNs says of a push of either kind to the token.
        func answers(_ token: String, with providerToken: String) async -> [String] {
            var answers: [String] = []
            for kind in ["liveactivity", "background"] {
                let (status, reason) = await push(to: token, as: kind, with: providerToken)
                answers.append("\(status) \(reason)")
            }
            return answers
        }
    }

    private static func dump(_ suite: RunningSuite) async throws -> [String] {
        let binary = try #require(
            (15...18).reversed().map { "/usr/lib/postgresql/\($0)/bin/pg_dump" }.first {
                FileManager.default.isExecutableFile(atPath: $0)
            })
        return try await withTemporaryDirectory { folder in
            let text = try await Tool.run([binary, suite.endpoints.databaseURL], in: folder.path)
            // What tables of COPY have between tabs, and what JSON has between quotes.
            return Array(Set(text.split { !($0.isLetter || $0.isNumber || "$-_.".contains($0)) }.map(String.init)))
        }
    }

    @Test(.timeLimit(.minutes(5))) func noTokenOfADumpIsOfUseWithoutTheKeyFile() async throws {
        try await RunningSuite.with(speed: 40) { suite in
            let id = try await LifeTests.load(1_178_424, suite, speed: 40)
            let (phones, updateTokens) = try await ManualPhone.withCards(["asha", "ben", "chitra"], of: id, suite)
            let words = try await Self.dump(suite)
            let stored = words.filter { TokenCipher.key(of: $0) != nil }

            let pusher = try await Pusher(suite)
            let keys = try TokenKeys(
                parsing: String(
                    decoding: try Data(contentsOf: URL(filePath: "\(suite.endpoints.secrets)/token-keys")),
                    as: UTF8.self))
            let cipher = try TokenCipher(keys)
            // But for the sample, which is no token.
            let opened = stored.flatMap { word in
                TokenCipher.Kind.allCases.filter { $0 != .sample }.compactMap { try? cipher.decrypt(word, as: $0) }
            }
            #expect(opened.count == 10, "three tokens of each phone, and the provider token")
            let providerTokens = opened.filter { $0.contains(".") }
            #expect(providerTokens.count == 1)
            for word in words where word.utf8.count >= 8 {
                let answers = await pusher.answers(word, with: providerTokens[0])
                #expect(answers.allSatisfy { $0 == "400 BadDeviceToken" }, "\(word): \(answers)")
            }
            // As provider tokens: what is as long as one.
            for word in words where word.utf8.count >= 60 {
                let (status, _) = await pusher.push(to: updateTokens[0], as: "liveactivity", with: word)
                #expect(status == 403, "\(word)")
            }

            for token in opened where !token.contains(".") {
                let answers = await pusher.answers(token, with: providerTokens[0])
                #expect(answers.contains("200 "), "\(token): \(answers)")
            }
            #expect(
                Set(opened.filter { !$0.contains(".") })
                    == Set(phones.flatMap { [$0.deviceToken, $0.startToken] } + updateTokens))
            await pusher.connection.close()
        }
    }
}
