import MatchEventBus
import ServiceKit

@main
enum Main {
    static func main() async {
        await ServiceMain.run(
            ServiceDescription(
                name: "event-bus", summary: "Judges score frames and commits what they change.",
                settings: EventBusSettings.descriptions, healthPort: 8094)
        ) { settings, context in
            [
                EventBusService(
                    try EventBusSettings(settings), instance: settings.instance,
                    runDirectory: settings.runDirectory, readiness: context.readiness, logger: context.logger,
                    tracer: context.tracer)
            ]
        }
    }
}
