import Tokens

/// One call as the OpenAPI document describes it. Requests are checked by the same description.
struct Operation: Sendable {
    /// The `operationId`: the name of the function in a generated client.
    var id: String
    var summary: String
    var tag: Tag
    var query: [Parameter] = []
    var body: Body?
    var answer: Answer
    /// The meaning of a 202, which has the same component as the answer; nil if the call never answers 202.
    var accepted: String?
    /// Whether the answer has an entity tag, so that a client that has it gets a 304.
    var isTagged = false
    /// The refusals of this call, beyond those of every call.
    var refusals: [Problem.Kind] = []
    var limit: RateGroup = .reads
    /// Whether a token of a deleted account is accepted, so that the deletion itself can be repeated.
    var isOpenToTheDeleted = false

    func taking(_ body: Body) -> Operation {
        var operation = self
        operation.body = body
        return operation
    }

    enum Tag: String, CaseIterable, Sendable {
        case matches, following, devices, activities, user, app, admin, health
    }

    struct Parameter: Sendable {
        var name: String
        var schema: Schema
        var about: String
    }

    struct Body: Sendable {
        /// The component's name.
        var name: String
        var fields: [Schema.Field]
        /// Two names of the same thing, of which a request gives exactly one.
        var exactlyOne: [String] = []
        /// Whether a request without a body counts as `{}`.
        var isOptional = false

        var document: JSONValue {
            let document = Schema.object(fields).document(isRequest: true)
            guard !exactlyOne.isEmpty else { return document }
            return document.merging(["oneOf": .array(exactlyOne.map { ["required": [.string($0)]] })])
        }

        /// Returns what is wrong with a body; nil if nothing is.
        func fault(in value: JSONValue) -> Problem? {
            if let problem = Schema.object(fields).fault(in: value, at: "") { return problem }
            guard let first = exactlyOne.first, let members = value.object else { return nil }
            let given = exactlyOne.filter { members[$0] != nil }
            if given.count == 1 { return nil }
            return given.isEmpty
                ? .field(first, "is required")
                : .field(first, "cannot be given together with \(exactlyOne.dropFirst().joined(separator: ", "))")
        }
    }

    struct Answer: Sendable {
        var status: Int
        /// The component's name; nil if there is no body.
        var component: String?
        var about: String

        static func ok(_ component: String, _ about: String) -> Answer {
            Answer(status: 200, component: component, about: about)
        }
        static func created(_ component: String, _ about: String) -> Answer {
            Answer(status: 201, component: component, about: about)
        }
        static func nothing(_ about: String) -> Answer { Answer(status: 204, component: nil, about: about) }
    }
}

extension Route {
    /// The names in the path that begin with a colon, in order.
    var pathParameters: [String] {
        path.split(separator: "/").filter { $0.first == ":" }.map { String($0.dropFirst()) }
    }

    /// The form of a path parameter.
    static func form(ofPathParameter name: String) -> TextForm { name == "deviceToken" ? .deviceName : .number }

    /// Every kind of problem that the call may answer.
    var refusals: Set<Problem.Kind> {
        var kinds: Set<Problem.Kind> = [
            .malformedHTTP, .invalidRequest, .requestTimeout, .bodyTooLarge, .addressTooLong, .rateLimited,
            .internalError, .unavailable,
        ]
        if access != .everybody { kinds.insert(.unauthorized) }
        if access == .admins { kinds.insert(.forbidden) }
        if operation.body != nil { kinds.formUnion([.invalidJSON, .unsupportedMediaType]) }
        return kinds.union(operation.refusals)
    }
}
