import ArgumentParser
import Tokens

/// `sightscreen token --user NAME [--admin]`: prints a bearer token for the HTTP API of a development run.
struct TokenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Prints a bearer token of the development issuer. Never for production.")

    @Option(help: "Any name; the same name is the same user.")
    var user: String

    @Flag(help: "The user is in the group admin.")
    var admin = false

    @Option(help: "The issuer's URL; by default COGNITO_ISSUER, or that of sightscreen up.")
    var issuer: String?

    @Option(help: "The app client; by default the first of COGNITO_CLIENT_ID, or the demo's.")
    var clientID: String?

    @Option(help: "How long the token is valid, in seconds.")
    var lifetime = 86_400

    @Option(help: "The folder that keeps the key; by default that of sightscreen up.")
    var stateDir: String?

    func validate() throws {
        guard !user.isEmpty else { throw ValidationError("--user: a name is needed") }
        guard (1...BearerTokenVerifier.lifetimeMax).contains(lifetime) else {
            throw ValidationError("--lifetime: must be 1 to \(BearerTokenVerifier.lifetimeMax) seconds")
        }
    }

    func run() throws {
        guard let issuer = issuer ?? DevelopmentDefaults.issuer else {
            throw ValidationError("--issuer: missing, and no sightscreen up is running; set it or COGNITO_ISSUER")
        }
        Output.line(try makeToken(issuer: issuer))
    }

    private func makeToken(issuer: String) throws -> String {
        try DevelopmentIdentity(folder: stateDir ?? DevelopmentDefaults.keyFolder).token(
            user: user, isAdmin: admin, issuer: issuer, clientID: clientID ?? DevelopmentDefaults.clientID,
            lifetime: lifetime)
    }
}
