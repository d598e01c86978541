import Tokens

/// The OpenAPI 3.1 document. It is made from the routes, so it describes exactly what requests are checked by.
enum OpenAPIDocument {
    static func make(_ routes: [Route]) -> JSONValue {
        var paths: [String: [String: JSONValue]] = [:]
        for route in routes { paths[path(route), default: [:]][route.method.lowercased()] = operation(route) }
        return [
            "openapi": "3.1.0",
            "info": [
                "title": "Sightscreen",
                "version": "1",
                "summary": "Live cricket scores on the Lock Screen.",
                "description": .string(about),
                "license": ["name": "Apache-2.0", "identifier": "Apache-2.0"],
            ],
            "servers": [["url": "/"]],
            "tags": .array(Operation.Tag.allCases.map { ["name": .string($0.rawValue)] }),
            "paths": .object(paths.mapValues { .object($0) }),
            "components": [
                "securitySchemes": securitySchemes,
                "schemas": .object(schemas(routes)),
                "headers": headers,
            ],
        ]
    }

    private static let about = """
        Ids are strings, times integer seconds since 1970. An object of a request has no unknown members; objects of answers \
        may get further ones. Every refusal is a problem document (RFC 9457). Writes may be repeated. What is answered to \
        GET is answered to HEAD, without its body. What is not well-formed HTTP/1.1, or has headers \
        of over 16,384 bytes or 64 lines, gets a bare 400 and no further answer on its connection.
        """

    private static let securitySchemes: JSONValue = [
        "bearer": [
            "type": "http", "scheme": "bearer", "bearerFormat": "JWT",
            "description": "An access or id token of the app's Cognito user pool; group admin for administration.",
        ],
        "apiKey": [
            "type": "apiKey", "in": "header", "name": "X-API-Key", "description": "Administration from servers.",
        ],
    ]

    private static let headers: JSONValue = [
        "RequestID": [
            "description": "As in the log; the request's own X-Request-ID when it is 1 to 64 letters, digits, - and _.",
            "schema": ["type": "string"],
        ],
        "ETag": ["description": "Names this content.", "schema": ["type": "string"]],
        "RetryAfter": ["description": "Seconds.", "schema": ["type": "string", "pattern": "^[0-9]{1,5}$"]],
        "WWWAuthenticate": ["schema": ["type": "string"]],
        "Location": ["schema": ["type": "string"]],
    ]

    /// Returns the path as OpenAPI writes it: "/matches/{id}".
    static func path(_ route: Route) -> String {
        "/"
            + Route.split(route.path).map { $0.first == ":" ? "{\($0.dropFirst())}" : String($0) }.joined(
                separator: "/")
    }

    private static func operation(_ route: Route) -> JSONValue {
        let operation = route.operation
        var parameters = route.pathParameters.map { name -> JSONValue in
            [
                "name": .string(name), "in": "path", "required": true,
                "schema": Route.form(ofPathParameter: name).document,
            ]
        }
        parameters += operation.query.map(parameter)
        if operation.isTagged {
            parameters.append([
                "name": "If-None-Match", "in": "header", "required": false,
                "schema": ["type": "string"],
                "description": "The ETag of what the client has.",
            ])
        }
        var document: [String: JSONValue] = [
            "operationId": .string(operation.id), "summary": .string(operation.summary),
            "tags": [.string(operation.tag.rawValue)], "security": security(route.access),
            "responses": .object(responses(route)),
        ]
        if !parameters.isEmpty { document["parameters"] = .array(parameters) }
        if let body = operation.body {
            document["requestBody"] = [
                "required": .bool(!body.isOptional),
                "content": ["application/json": content(body.name)],
            ]
        }
        return .object(document)
    }

    private static func parameter(_ parameter: Operation.Parameter) -> JSONValue {
        let document: [String: JSONValue] = [
            "name": .string(parameter.name), "in": "query", "required": false, "description": .string(parameter.about),
            "schema": parameter.schema.document(isRequest: true),
        ]
        // A list in a query is written with commas.
        guard case .list = parameter.schema else { return .object(document) }
        let schema = parameter.schema.document(isRequest: true).merging(["minItems": 1])
        return .object(document.merging(["style": "form", "explode": false, "schema": schema]) { $1 })
    }

    private static func security(_ access: Route.Access) -> JSONValue {
        switch access {
        case .everybody: []
        case .users: [["bearer": []]]
        case .admins: [["bearer": []], ["apiKey": []]]
        }
    }

    private static func responses(_ route: Route) -> [String: JSONValue] {
        let answer = route.operation.answer
        let requestID: [String: JSONValue] = ["X-Request-ID": ["$ref": "#/components/headers/RequestID"]]
        let tag: [String: JSONValue] = ["ETag": ["$ref": "#/components/headers/ETag"]]
        var success: [String: JSONValue] = [
            "description": .string(answer.about),
            "headers": .object(requestID.merging(route.operation.isTagged ? tag : [:]) { $1 }),
        ]
        if let component = answer.component {
            success["content"] = ["application/json": content(component)]
        }
        var responses: [String: JSONValue] = [String(answer.status): .object(success)]
        if let accepted = route.operation.accepted {
            success["description"] = .string(accepted)
            responses["202"] = .object(success)
        }
        if route.operation.isTagged {
            responses["304"] = [
                "description": "The client has it already.", "headers": .object(requestID.merging(tag) { $1 }),
            ]
        }
        for (status, kinds) in Dictionary(grouping: route.refusals, by: \.status) {
            var fields = requestID
            if status == 401 { fields["WWW-Authenticate"] = ["$ref": "#/components/headers/WWWAuthenticate"] }
            if status == 429 || status == 503 { fields["Retry-After"] = ["$ref": "#/components/headers/RetryAfter"] }
            let names = kinds.map(\.rawValue).sorted().joined(separator: ", ")
            responses[String(status)] = [
                "description": .string(names), "headers": .object(fields),
                "content": ["application/problem+json": content("Problem")],
            ]
        }
        return responses
    }

    private static func content(_ component: String) -> JSONValue {
        ["schema": ["$ref": .string("#/components/schemas/\(component)")]]
    }

    private static func schemas(_ routes: [Route]) -> [String: JSONValue] {
        let bodies = routes.compactMap(\.operation.body)
        let inner =
            AnswerSchemas.all.values + bodies.map { .object($0.fields) }
            + routes.flatMap { $0.operation.query.map(\.schema) }
        var schemas = AnswerSchemas.all.merging(inner.flatMap(\.components)) { $1 }
            .mapValues { $0.document(isRequest: false) }
        for body in bodies { schemas[body.name] = body.document }
        for (name, example) in OpenAPIExamples.all {
            schemas[name] = schemas[name]?.merging(["examples": [example]])
        }
        return schemas
    }
}
