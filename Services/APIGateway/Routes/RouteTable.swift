/// All calls. It distinguishes a path that exists with another method from one that does not exist.
struct RouteTable: Sendable {
    enum Found {
        case route(Route, [String: String])
        case otherMethods([String])
        case nothing
    }

    let routes: [Route]

    init(_ routes: [Route]) {
        // Fixed parts come before parameters: "/matches/live" is not the match "live", whatever the method. OpenAPI
        // reads its paths the same way.
        self.routes = routes.sorted { Self.parameterCount($0) < Self.parameterCount($1) }
    }

    func find(_ method: String, _ path: String) -> Found {
        // HEAD gets the answer to GET without its body.
        let method = method == "HEAD" ? "GET" : method
        let parts = Route.split(path)
        var allowed: Set<String> = []
        var path: String?
        for route in routes where path == nil || route.path == path {
            guard let parameters = route.match(parts) else { continue }
            if route.method == method { return .route(route, parameters) }
            path = route.path
            allowed.insert(route.method)
        }
        if allowed.isEmpty { return .nothing }
        if allowed.contains("GET") { allowed.insert("HEAD") }
        return .otherMethods(allowed.sorted())
    }

    private static func parameterCount(_ route: Route) -> Int { route.path.count { $0 == ":" } }
}
