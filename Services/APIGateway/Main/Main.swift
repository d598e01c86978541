import APIGateway
import ServiceKit

@main
enum Main {
    static func main() async {
        await ServiceMain.run(
            ServiceDescription(
                name: "api-gateway", summary: "The HTTP API: follows, devices, tokens, schedule, match state.",
                settings: GatewayConfiguration.settings, healthPort: 8091)
        ) { settings, context in
            try Gateway.services(try GatewayConfiguration(settings), settings: settings, context: context)
        }
    }
}
