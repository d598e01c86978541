import LACoordinator
import ServiceKit

@main
enum Main {
    static func main() async {
        await ServiceMain.run(LACoordinatorConfiguration.service) { settings, context in
            [try LACoordinatorService(LACoordinatorConfiguration(settings), context)]
        }
    }
}
