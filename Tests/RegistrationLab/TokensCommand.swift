import ArgumentParser
import FoundationEssentials
import Postgres
import SightscreenModels
import Tokens

/// `registration-lab tokens`: an issuer's key set, and an access token signed with RS256 for each user.
struct TokensCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tokens", abstract: "Writes jwks.json, and users.txt with a line for each: number, phone, token.")

    @Option(help: "The database's URL.") var database: String
    @Option(help: "What iss is to be.") var issuer: String
    @Option(help: "What client_id is to be.") var client: String
    @Option(help: "The folder to write to.") var out: String

    func run() async throws {
        let pool = try PostgresPool(url: database, applicationName: "registration-lab")
        let phones = try await LabPhones(pool).phones
        await pool.close()
        let signer = try RS256Signer.generate()
        let now = Int(Date.now.timeIntervalSince1970)
        let (issuer, client) = (issuer, client)
        // Signing is thirty times the work of verifying: both processors take part.
        let lines = try await withThrowingTaskGroup(of: [String].self) { group in
            for part in 0..<2 {
                group.addTask {
                    try phones.indices.filter { $0 % 2 == part }.map { index in
                        let phone = phones[index]
                        let claims = """
                            {"sub":"\(phone.user.rawValue)","iss":"\(issuer)","client_id":"\(client)",\
                            "origin_jti":"3b7f5f3c-7a52-4c1e-9a53-0d8f6a1f2c11","event_id":\
                            "f3f0b6a9-5a83-4f0e-8a52-6f2b4a0d9f77","token_use":"access","scope":\
                            "aws.cognito.signin.user.admin","auth_time":\(now - 60),"exp":\(now + 14_400),\
                            "iat":\(now - 60),"jti":"9b6c6f4e-2f1d-4f4b-8e0a-1c9d5b7a3e21","username":\
                            "\(phone.user.rawValue)"}
                            """
                        let token = try signer.token(claims: Array(claims.utf8))
                        return "\(phone.number) \(phone.device.rawValue) \(token)"
                    }
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        try write(lines.joined(separator: "\n") + "\n", "users.txt")
        try write(signer.jwks, "jwks.json")
    }

    private func write(_ text: String, _ name: String) throws {
        try Data(text.utf8).write(to: URL(filePath: "\(out)/\(name)"))
    }
}
