import ScorePoller
import ServiceKit

@main
enum Main {
    static func main() async {
        let description = ServiceDescription(
            name: "score-poller",
            summary: "fetches all live matches from the score provider and offers each frame until it is committed",
            settings: ScorePollerSettings.descriptions, healthPort: 8093)
        await ServiceMain.run(description) { settings, context in
            [
                ScorePollerService(
                    settings: try ScorePollerSettings(settings), runDirectory: settings.runDirectory,
                    instance: settings.instance, logger: context.logger, readiness: context.readiness,
                    tracer: context.tracer)
            ]
        }
    }
}
