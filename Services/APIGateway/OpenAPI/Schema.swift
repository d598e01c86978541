import Tokens

/// The form of a JSON value. Requests are checked by it and the OpenAPI document prints it, so the two cannot differ.
indirect enum Schema: Sendable, Hashable {
    case text(TextForm)
    /// Any text; used in answers only.
    case anyText
    /// One of these names; with a `name` it is a component of the document.
    case choice([String], name: String? = nil)
    case flag
    case integer(ClosedRange<Int>)
    /// Any integer; used in answers only.
    case anyInteger
    case number(ClosedRange<Double>)
    case list(Schema, max: Int? = nil)
    case object([Field])
    /// A reference to a component of the document.
    case named(String)

    struct Field: Sendable, Hashable {
        var name: String
        var schema: Schema
        var isRequired: Bool
        /// Whether a request may say null, which counts as left out unless the call says otherwise.
        var acceptsNull: Bool
        var about: String
    }

    /// A choice of the names of a type.
    static func choice<T: RawRepresentable<String> & CaseIterable>(
        of type: T.Type, name: String = "\(T.self)"
    ) -> Schema { .choice(type.allCases.map(\.rawValue), name: name) }

    /// The choices within this schema that are components.
    var components: [String: Schema] {
        switch self {
        case .choice(let names, let name?): [name: .choice(names)]
        case .list(let element, _): element.components
        case .object(let fields): fields.reduce(into: [:]) { $0.merge($1.schema.components) { $1 } }
        default: [:]
        }
    }

    static func required(_ name: String, _ schema: Schema, _ about: String = "", acceptsNull: Bool = false) -> Field {
        Field(name: name, schema: schema, isRequired: true, acceptsNull: acceptsNull, about: about)
    }

    static func optional(_ name: String, _ schema: Schema, _ about: String = "", acceptsNull: Bool = true) -> Field {
        Field(name: name, schema: schema, isRequired: false, acceptsNull: acceptsNull, about: about)
    }
}

extension Schema {
    /// Returns the schema as JSON Schema 2020-12.
    /// - Parameter isRequest: an object of a request has no further members, and optional ones may be null; an object
    ///   of an answer leaves out what is absent, and may get further members in later versions.
    func document(isRequest: Bool) -> JSONValue {
        switch self {
        case .text(let form): form.document
        case .anyText: ["type": "string"]
        case .choice(_, let name?), .named(let name): ["$ref": .string("#/components/schemas/\(name)")]
        case .choice(let names, nil): ["type": "string", "enum": .array(names.map { .string($0) })]
        case .flag: ["type": "boolean"]
        case .integer(let range):
            ["type": "integer", "minimum": .number("\(range.lowerBound)"), "maximum": .number("\(range.upperBound)")]
        case .anyInteger: ["type": "integer"]
        case .number(let range):
            ["type": "number", "minimum": .number("\(range.lowerBound)"), "maximum": .number("\(range.upperBound)")]
        case .list(let element, let max):
            JSONValue.object(["type": "array", "items": element.document(isRequest: isRequest)])
                .merging(max.map { ["maxItems": .number("\($0)")] } ?? [:])
        case .object(let fields): Self.document(fields, isRequest)
        }
    }

    private static func document(_ fields: [Field], _ isRequest: Bool) -> JSONValue {
        var properties: [String: JSONValue] = [:]
        for field in fields {
            var property = field.schema.document(isRequest: isRequest)
            if isRequest, field.acceptsNull { property = nullable(property) }
            if !field.about.isEmpty { property = property.merging(["description": .string(field.about)]) }
            properties[field.name] = property
        }
        var document: [String: JSONValue] = ["type": "object", "properties": .object(properties)]
        let required = fields.filter(\.isRequired).map { JSONValue.string($0.name) }
        if !required.isEmpty { document["required"] = .array(required) }
        if isRequest { document["additionalProperties"] = false }
        return .object(document)
    }

    private static func nullable(_ document: JSONValue) -> JSONValue {
        guard case .object(var members) = document, let type = members["type"] else {
            return ["anyOf": [document, ["type": "null"]]]
        }
        members["type"] = [type, "null"]
        return .object(members)
    }
}

extension Schema {
    /// Returns what is wrong with a request's value; nil if nothing is.
    func fault(in value: JSONValue, at path: String) -> Problem? {
        switch self {
        case .object(let fields):
            guard let members = value.object else { return wrong(path) }
            return Self.fault(in: members, fields, path)
        case .list(let element, let max):
            guard let elements = value.array, elements.count <= max ?? .max else { return wrong(path) }
            return elements.lazy.compactMap { element.fault(in: $0, at: path) }.first
        default: return accepts(value) ? nil : wrong(path)
        }
    }

    private static func fault(in members: [String: JSONValue], _ fields: [Field], _ path: String) -> Problem? {
        for field in fields {
            let place = path.isEmpty ? field.name : "\(path).\(field.name)"
            switch members[field.name] {
            case .null? where field.acceptsNull: continue
            case let value?: if let problem = field.schema.fault(in: value, at: place) { return problem }
            case nil: if field.isRequired { return .field(place, "is required") }
            }
        }
        let names = Set(fields.map(\.name))
        guard let unknown = members.keys.filter({ !names.contains($0) }).min() else { return nil }
        // The name is the client's own text, so it is returned only when it is harmless.
        return Problem(.invalidRequest, "a field is not known", field: Identifier.isValid(unknown) ? unknown : nil)
    }

    private func accepts(_ value: JSONValue) -> Bool {
        switch self {
        case .text(let form): value.string.map(form.accepts) ?? false
        case .anyText: value.string != nil
        case .choice(let names, _): value.string.map(names.contains) ?? false
        case .flag: value.bool != nil
        case .integer(let range): value.wholeNumber.map(range.contains) ?? false
        case .anyInteger: value.integer != nil
        case .number(let range): value.double.map(range.contains) ?? false
        case .object, .list, .named: false
        }
    }

    private func wrong(_ path: String) -> Problem {
        path.isEmpty ? Problem(.invalidJSON, "not \(wanted)") : .field(path, "must be \(wanted)")
    }

    /// The words in an error for what the value must be.
    var wanted: String {
        switch self {
        case .text(let form): form.wanted
        case .anyText: "a string"
        case .choice(let names, _): "one of \(names.joined(separator: ", "))"
        case .flag: "true or false"
        case .integer(let range): "an integer, \(range.lowerBound) to \(range.upperBound)"
        case .anyInteger: "an integer"
        case .number(let range): "a number, \(range.lowerBound) to \(range.upperBound)"
        case .list(let element, let max): "a list\(max.map { " of at most \($0)" } ?? ""), each \(element.wanted)"
        case .object: "an object"
        case .named(let name): name
        }
    }
}

extension JSONValue {
    /// An integer as JSON Schema defines it: 5, 5.0 and 5e0 are the same.
    var wholeNumber: Int? { integer ?? double.flatMap { Int(exactly: $0) } }

    /// A finite number, however it is written.
    var double: Double? {
        guard case .number(let text) = self, text.utf8.count <= 64, let value = Double(text), value.isFinite else {
            return nil
        }
        return value
    }
}
