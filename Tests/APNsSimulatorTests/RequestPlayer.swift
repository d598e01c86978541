import APNsSimulator
import FoundationEssentials
import HTTP2
import SightscreenModels
import TestKit

/// Makes the requests of the table to a running simulator, and compares the answers.
struct RequestPlayer: Sendable {
    /// Live channels in each environment.
    static let channelsMade = 2

    private let apns: SimulatorUnderTest
    private let clients: [APNsEnvironment: ChannelClient]
    /// The value of each name in angle brackets, by environment.
    private var names: [APNsEnvironment: [String: String]] = [:]

    init(_ apns: SimulatorUnderTest) async throws {
        self.apns = apns
        let other = try await Credentials()
        let bearers = [
            "bearer": apns.bearer, "second bearer": try apns.credentials.bearer(age: 60),
            "bearer of another key": try other.bearer(),
            "bearer of another team": try apns.credentials.bearer(teamID: "OTHERTEAM"),
            "bearer with another key id": try apns.credentials.bearer(keyID: "OTHERKEY00"),
            "bearer of tomorrow": try apns.credentials.bearer(age: -86_400),
            "bearer of two hours ago": try apns.credentials.bearer(age: 7_200),
        ]
        var clients: [APNsEnvironment: ChannelClient] = [:]
        for environment in APNsEnvironment.allCases {
            let client = try await ChannelClient(apns, environment)
            clients[environment] = client
            var names = bearers
            let digit = environment == .production ? "a" : "b"
            for (index, kind) in ["update", "start", "device"].enumerated() {
                let token = String(repeating: "\(digit)\(index)", count: 32)
                try await apns.register(token, kind: kind, environment: environment)
                names["token \(kind)"] = token
                let others = String(repeating: "\(digit)\(index + 3)", count: 32)
                try await apns.register(others, kind: kind, environment: environment, bundle: "com.other.app")
                names["\(kind) of another app"] = others
            }
            let deleted = String(repeating: "\(digit)9", count: 32)
            try await apns.register(deleted, environment: environment)
            try await apns.control("DELETE", "/tokens/\(deleted)?at=1700000000123")
            names["deleted token"] = deleted
            names["unknown token"] = String(repeating: "\(digit)8", count: 32)
            names["token elsewhere"] = String(repeating: environment == .production ? "b0" : "a0", count: 32)
            let gone = try await client.create()
            _ = try await client.manage("DELETE", ChannelClient.channels, ["apns-channel-id": gone])
            names["deleted channel"] = gone
            names["channel 0"] = try await client.create(policy: 0)
            names["channel 1"] = try await client.create(policy: 1)
            names["unknown channel"] = "AAAAAAAAAAAAAAAAAAAAAA=="
            self.names[environment] = names
            // The connection's first provider token.
            _ = try await client.publish([], to: gone)
        }
        self.clients = clients
        let channels = names.mapValues { $0["channel 0"] }
        names[.production]?["channel elsewhere"] = channels[.sandbox] ?? nil
        names[.sandbox]?["channel elsewhere"] = channels[.production] ?? nil
    }

    func switchOff(reason: String) async throws {
        let status = try await apns.control("PUT", "/capability", #"{"enabled":false,"reason":"\#(reason)"}"#).status
        guard status == 204 else { throw Tool.Failure(description: "\(status)") }
    }

    /// Uses up the publish budgets.
    func spend() async throws {
        for (environment, client) in clients {
            for name in ["channel 0", "channel 1"] {
                let body = Array(#"{"aps":{"event":"end"}}"#.utf8)
                while try await client.publish(body, to: names[environment]?[name] ?? "").status == 200 {}
            }
        }
    }

    /// Makes a request and returns what is wrong with its answer.
    func problems(of line: RequestTableTests.Line) async throws -> [String] {
        guard let client = clients[line.environment], var names = names[line.environment] else { return ["no client"] }
        if line.headers.values.contains("<new channel>") {
            let new = try? await client.create()
            // Where none can be made, the request is refused before it is looked for.
            names["new channel"] = new ?? names["deleted channel"]
        }
        func fill(_ text: String) -> String { Self.fill(text, names) }
        var fields = line.headers.map { HTTP2Field($0.key, fill($0.value)) }.sorted { $0.name < $1.name }
        if let twice = line.twice { fields.append(HTTP2Field(twice, fields[twice] ?? "")) }
        var body = Array(fill(line.body).utf8)
        if let bytes = line.bytes { body += [UInt8](repeating: UInt8(ascii: " "), count: bytes - body.count) }
        let outcome = await (line.port == "push" ? client.pushes : client.management).submit(
            path: fill(line.path),
            headers: HTTP2HeaderTemplate(method: line.method, authority: "localhost", fields: fields), body: body,
            timeout: .seconds(10))
        let answer = try ChannelClient.answer(outcome)
        return Self.problems(of: answer, to: line, fill)
    }

    private static func problems(
        of answer: ChannelClient.Answer, to line: RequestTableTests.Line, _ fill: (String) -> String
    ) -> [String] {
        struct Refusal: Decodable {
            var reason: String
            var timestamp: Int64?
        }
        struct List: Decodable { var channels: [String] }
        func decode<Value: Decodable>(_ type: Value.Type) -> Value? {
            try? JSONDecoder().decode(type, from: Data(answer.body.utf8))
        }
        var problems: [String] = []
        func expect(_ holds: Bool, _ what: String) { if !holds { problems.append(what) } }
        let refusal = decode(Refusal.self)
        expect(
            answer.status == line.status && refusal?.reason == line.reason,
            "\(answer.status) \(answer.body), not \(line.status) \(line.reason ?? "")")
        expect(refusal?.timestamp == line.timestamp, "timestamp \(refusal?.timestamp ?? 0)")
        for (name, wanted) in line.answer {
            let found = answer.headers[name]
            expect(matches(found, wanted.map(fill)), "\(name): \(found ?? "none"), not \(wanted ?? "none")")
        }
        if let json = line.json {
            expect(decode(RequestTableTests.Line.Configuration.self) == json, answer.body)
        } else if let lists = line.lists {
            let found = decode(List.self)?.channels ?? []
            expect(lists.allSatisfy { found.contains(fill($0)) }, answer.body)
        } else if line.reason == nil {
            expect(answer.body.isEmpty, answer.body)
        }
        return problems
    }

    /// Whether a header has the expected value or form.
    private static func matches(_ found: String?, _ wanted: String?) -> Bool {
        switch wanted {
        case "<uuid>": found.map { UUID(uuidString: $0) != nil } ?? false
        case "<lower-case uuid>": found.map { UUID(uuidString: $0) != nil && $0 == $0.lowercased() } ?? false
        case "<channel id>": found.map { Data(base64Encoded: $0)?.count == 16 && $0.count == 24 } ?? false
        default: found == wanted
        }
    }

    /// Fills in what stands in angle brackets; a name that is not known stays.
    private static func fill(_ text: String, _ names: [String: String]) -> String {
        var filled = ""
        var rest = text[...]
        while let start = rest.firstIndex(of: "<"), let end = rest[start...].firstIndex(of: ">") {
            let name = String(rest[rest.index(after: start)..<end])
            filled += rest[..<start]
            if name.hasPrefix("now") {
                filled += String(Int(Date().timeIntervalSince1970) + (Int(name.dropFirst(3)) ?? 0))
            } else {
                filled += names[name] ?? "<\(name)>"
            }
            rest = rest[rest.index(after: end)...]
        }
        return filled + rest
    }
}
