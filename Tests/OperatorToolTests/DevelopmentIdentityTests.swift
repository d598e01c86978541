import FoundationEssentials
import Glibc
import TestKit
import Testing
import Tokens

@testable import OperatorTool

@Suite struct DevelopmentIdentityTests {
    private let issuer = "http://127.0.0.1:8091"

    private func verifier() -> BearerTokenVerifier { BearerTokenVerifier(issuer: issuer, clientIDs: ["demo"]) }

    @Test func itsTokensPassTheGatewaysCheck() throws {
        let folder = try TemporaryDirectory(prefix: "ss-id")
        defer { folder.remove() }
        let identity = try DevelopmentIdentity(folder: folder.path)
        let keys = try JWKS(json: Array(identity.jwks.utf8))
        let now = Int(Date.now.timeIntervalSince1970)
        let plain = try verifier().verify(
            identity.token(user: "asha", isAdmin: false, issuer: issuer, clientID: "demo"), keys: keys, now: now)
        #expect(plain.isAdmin == false)
        #expect(plain.sub == (try DevelopmentIdentity.subject(of: "asha")))
        let admin = try verifier().verify(
            identity.token(user: "asha", isAdmin: true, issuer: issuer, clientID: "demo"), keys: keys, now: now)
        #expect(admin.isAdmin)
        #expect(admin.sub == plain.sub)
        #expect(try DevelopmentIdentity.subject(of: "ravi") != plain.sub)
        let expired = try identity.token(
            user: "asha", isAdmin: false, issuer: issuer, clientID: "demo", lifetime: 60, now: now - 200)
        #expect(throws: BearerTokenError.expired(at: now - 140)) {
            try verifier().verify(expired, keys: keys, now: now)
        }
    }

    @Test func everybodyWithTheFolderHasTheSameKeyAndNobodyElseCanReadIt() async throws {
        let folder = try TemporaryDirectory(prefix: "ss-id")
        defer { folder.remove() }
        let path = folder.path
        let keys = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<4 { group.addTask { try DevelopmentIdentity(folder: path).jwks } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(keys.count == 1)
        var status = stat()
        #expect(stat("\(path)/\(DevelopmentIdentity.keyFileName)", &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: path) == [DevelopmentIdentity.keyFileName])
    }
}
