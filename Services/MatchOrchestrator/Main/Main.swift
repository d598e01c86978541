import MatchOrchestrator
import ServiceKit
import ServiceLifecycle

@main
enum Main {
    static func main() async {
        await ServiceMain.run(OrchestratorSettings.service) { settings, context in
            let configuration = try OrchestratorSettings(settings)
            return [
                OrchestratorService(
                    configuration, instance: settings.instance, runDirectory: settings.runDirectory,
                    readiness: context.readiness, logger: context.logger)
            ]
        }
    }
}
