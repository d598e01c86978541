import FoundationEssentials

/// The defaults of the development commands, taken from the run that `sightscreen up` keeps going.
enum DevelopmentDefaults {
    private static var stateFolder: String { StateFolder.path(environment: ProcessInfo.processInfo.environment) }

    static var keyFolder: String { "\(stateFolder)/secrets" }

    /// `COGNITO_ISSUER`, or the issuer of the run.
    static var issuer: String? {
        if let issuer = ProcessInfo.processInfo.environment["COGNITO_ISSUER"] { return issuer }
        return run?.issuer
    }

    /// The database of the run. Its use is printed, so that the operator does not mistake it for another.
    static func databaseURL() -> String? {
        guard let run else { return nil }
        Output.error("sightscreen: DATABASE_URL is not set: this is the run of sightscreen up in \(stateFolder)")
        return run.databaseURL
    }

    private static var run: Endpoints? {
        guard let file = FileManager.default.contents(atPath: "\(stateFolder)/endpoints.json") else { return nil }
        return try? JSONDecoder().decode(Endpoints.self, from: file)
    }

    /// The first id of `COGNITO_CLIENT_ID`, or the demo's.
    static var clientID: String {
        let list = ProcessInfo.processInfo.environment["COGNITO_CLIENT_ID"] ?? ""
        return list.split(separator: ",").first.map(String.init) ?? DevelopmentSecrets.clientID
    }
}
