import MockSportMonks
import ServiceKit

@main
enum Main {
    static func main() async {
        await ServiceMain.run(MockSportMonksConfiguration.service) { settings, context in
            let configuration = try MockSportMonksConfiguration(settings)
            context.readiness.set("port", false, reason: "not listening yet")
            return [
                MockSportMonksService(configuration, logger: context.logger) { _ in
                    context.readiness.set("port", true, reason: nil)
                }
            ]
        }
    }
}
