import APIGateway
import ArgumentParser
import ServiceKit

/// `registration-lab`: what `deploy/bench gateway` measures with. Without arguments it is api-gateway with one more
/// call, `POST /noop`; with one of the commands below it prepares a database or measures the store alone. Never
/// installed.
@main
struct RegistrationLab: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "registration-lab", abstract: "Prepares and measures registrations of activity tokens.",
        subcommands: [SeedCommand.self, StoreCommand.self, VerifyCommand.self, TokensCommand.self])

    static func main() async {
        guard CommandLine.arguments.count == 1 else { return await main(nil) }
        await ServiceMain.run(APIGatewayConfiguration.service) { settings, context in
            try APIGatewayService(withNoop: APIGatewayConfiguration(settings), context).parts
        }
    }
}
