package import ServiceKit
import SightscreenModels

extension APIGatewayService {
    /// The API with two more calls that the benchmark compares with: `POST /noop` checks the caller's token and the
    /// body of an activity token as strictly as that call does and then does nothing; `POST /noop/open` does not check
    /// the caller. Only the benchmark's executable uses this initializer, no service does.
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
