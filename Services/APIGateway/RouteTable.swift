/// All calls. A path that exists with another method is told apart from one that does not exist.
struct RouteTable: Sendable {
    enum Found {
        case route(Route, [String: String])
        case otherMethods([String])
        case nothing
    }

    let routes: [Route]

    init(_ routes: [Route]) {
        // A fixed part comes before a parameter: "/matches/live" is not the match "live", whatever the method (OpenAPI
        // reads its paths so, too).
        self.routes = routes.sorted { Self.parameterCount($0) < Self.parameterCount($1) }
    }

    func find(_ method: String, _ path: String) -> Found {
        // What is answered to GET is answered to HEAD, without its body.
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
