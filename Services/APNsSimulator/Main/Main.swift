import APNsSimulator
import ServiceKit

@main
enum Main {
    static func main() async {
        await ServiceMain.run(APNsSimulatorConfiguration.service) { settings, context in
            [try APNsSimulatorService(APNsSimulatorConfiguration(settings), context)]
        }
    }
}
