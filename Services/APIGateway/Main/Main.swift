import APIGateway
import ServiceKit

@main
enum Main {
    static func main() async {
        await ServiceMain.run(APIGatewayConfiguration.service) { settings, context in
            try APIGatewayService(APIGatewayConfiguration(settings), context).parts
        }
    }
}
