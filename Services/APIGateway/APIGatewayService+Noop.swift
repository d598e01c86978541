package import ServiceKit
import SightscreenModels

extension APIGatewayService {
    /// The API and what the benchmark compares with: `POST /noop`, which checks the caller's token and the body of an
    /// activity token as strictly as that call does and then does nothing, and `POST /noop/open`, which asks nobody who he
    /// is. They are there for the benchmark's own executable; no service calls this.
    package init(withNoop configuration: APIGatewayConfiguration, _ context: ServiceContext) throws {
        let noops = [("/noop", Route.Access.users), ("/noop/open", .everybody)].map { path, access in
            Route(
                "POST", path, access,
                Operation(
                    id: access == .users ? "doNothing" : "doNothingForAnybody", summary: "Do nothing.", tag: .app,
                    body: ActivityTokenRequest.body, answer: .nothing("Nothing was done."), limit: .open)
            ) { _ in .noContent }
        }
        try self.init(configuration, context, more: noops)
    }
}
