import FoundationEssentials

/// The gateway's API description (`deploy/docs/openapi.json`). It refuses calls that are not described, as the gateway
/// does.
struct OpenAPIContract: Sendable {
    struct Operation: Sendable {
        var path: String
        var parameters: [String: String]
        fileprivate var description: JSON
    }

    struct Unreadable: Error {}

    private let document: JSON

    static func served() throws -> Self { try read.get() }

    /// The description, read once for all tests.
    private static let read = Result { try fromRepository() }

    private static func fromRepository() throws -> Self {
        // This file is …/Shared/Client/Tests/SightscreenClientTests/Support/OpenAPIContract.swift.
        let top = URL(filePath: #filePath).resolvingSymlinksInPath().path.split(separator: "/").dropLast(6)
        let file = "/" + top.joined(separator: "/") + "/deploy/docs/openapi.json"
        guard let data = FileManager.default.contents(atPath: file), let document = JSON([UInt8](data)) else {
            throw Unreadable()
        }
        return Self(document: document)
    }

    func operation(_ method: String, _ path: String) -> Operation? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let paths = document["paths"]?.members ?? [:]
        // Fixed parts of a path come before parameters.
        let templates = paths.sorted { Self.parameterCount($0.key) < Self.parameterCount($1.key) }
        for (template, calls) in templates {
            let wanted = template.split(separator: "/", omittingEmptySubsequences: false)
            guard wanted.count == parts.count, let call = calls[method.lowercased()] else { continue }
            var parameters: [String: String] = [:]
            let matches = zip(wanted, parts).allSatisfy { wanted, part in
                guard wanted.hasPrefix("{") else { return wanted == part }
                parameters[String(wanted.dropFirst().dropLast())] = String(part)
                return !part.isEmpty
            }
            if matches { return Operation(path: template, parameters: parameters, description: call) }
        }
        return nil
    }

    private static func parameterCount(_ path: String) -> Int { path.count { $0 == "{" } }

    /// Returns the reason why the gateway would refuse a body; nil when it would accept it.
    func fault(in body: [UInt8]?, of operation: Operation) -> String? {
        for parameter in operation.description["parameters"]?.elements ?? [] {
            guard let name = parameter["name"]?.text, parameter["in"]?.text == "path" else { continue }
            guard let value = operation.parameters[name], let schema = parameter["schema"] else {
                return "no \(name)"
            }
            if let fault = fault(in: .string(value), schema, at: name) { return fault }
        }
        guard let request = operation.description["requestBody"] else { return body == nil ? nil : "a body" }
        guard let body else { return request["required"]?.flag == true ? "no body" : nil }
        guard let value = JSON(body) else { return "not JSON" }
        guard let schema = request["content"]?["application/json"]?["schema"] else { return "no schema" }
        return fault(in: value, schema, at: "body")
    }

    /// Returns the reason why the gateway would refuse a query ("date=2026-11-22&limit=50"): it accepts only known
    /// fields, each once.
    func fault(inQuery query: Substring, of operation: Operation) -> String? {
        let known = (operation.description["parameters"]?.elements ?? []).filter { $0["in"]?.text == "query" }
        var seen: Set<Substring> = []
        for pair in query.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let parameter = known.first(where: { $0["name"]?.text == String(parts[0]) }), parts.count == 2,
                let schema = parameter["schema"]
            else { return "\(parts[0]) is unknown" }
            guard seen.insert(parts[0]).inserted else { return "\(parts[0]) comes twice" }
            let isNumber = schema["type"]?.text == "integer"
            let value: JSON = isNumber ? Double(parts[1]).map { JSON.number($0) } ?? .null : .string(String(parts[1]))
            if let fault = fault(in: value, schema, at: String(parts[0])) { return fault }
            if case .number(let number) = value, let most = schema["maximum"]?.count, number > Double(most) {
                return "\(parts[0]) is too large"
            }
        }
        return nil
    }

    private func fault(in value: JSON, _ schema: JSON, at place: String) -> String? {
        if let reference = schema["$ref"]?.text {
            let name = reference.split(separator: "/").last.map { String($0) } ?? ""
            guard let named = document["components"]?["schemas"]?[name] else { return "no schema \(name)" }
            return fault(in: value, named, at: place)
        }
        if let ways = schema["anyOf"]?.elements, !ways.contains(where: { fault(in: value, $0, at: place) == nil }) {
            return "\(place) has none of its forms"
        }
        if let types = schema["type"]?.elements?.compactMap(\.text) ?? schema["type"]?.text.map({ [$0] }),
            // Every integer is a number.
            !types.contains(value.type), !(value.type == "integer" && types.contains("number"))
        {
            return "\(place) is \(value.type)"
        }
        if let choices = schema["enum"]?.elements, !choices.contains(value) { return "\(place) is none of its choices" }
        switch value {
        case .string(let text): return fault(in: text, schema, at: place)
        case .array(let elements):
            if let most = schema["maxItems"]?.count, elements.count > most { return "\(place) is too long" }
            guard let items = schema["items"] else { return nil }
            return elements.lazy.compactMap { fault(in: $0, items, at: place) }.first
        case .object(let members): return fault(in: members, schema, at: place)
        case .null, .bool, .number: return nil
        }
    }

    private func fault(in text: String, _ schema: JSON, at place: String) -> String? {
        if let most = schema["maxLength"]?.count, text.count > most { return "\(place) is too long" }
        if let least = schema["minLength"]?.count, text.count < least { return "\(place) is too short" }
        guard let pattern = schema["pattern"]?.text else { return nil }
        guard let regex = try? Regex(pattern) else { return "the pattern of \(place) cannot be read" }
        return text.wholeMatch(of: regex) == nil ? "\(place) has another form" : nil
    }

    private func fault(in members: [String: JSON], _ schema: JSON, at place: String) -> String? {
        let properties = schema["properties"]?.members ?? [:]
        for name in schema["required"]?.elements?.compactMap(\.text) ?? [] where members[name] == nil {
            return "\(place) has no \(name)"
        }
        if let choices = schema["oneOf"]?.elements {
            let met = choices.count { choice in
                (choice["required"]?.elements ?? []).allSatisfy { $0.text.map { members[$0] != nil } ?? false }
            }
            if met != 1 { return "\(place) meets \(met) of its forms" }
        }
        for (name, value) in members {
            guard let property = properties[name] else {
                if schema["additionalProperties"]?.flag == false { return "\(name) is unknown" }
                continue
            }
            if let fault = fault(in: value, property, at: name) { return fault }
        }
        return nil
    }
}
