import LACoordinator
import ServiceKit

@main
struct Main {
    static func main() async {
        await ServiceMain.run(CoordinatorConfiguration.service) { settings, context in
            [try LACoordinatorService(settings, context)]
        }
    }
}
