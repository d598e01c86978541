import MatchOrchestrator
import ServiceKit

@main
enum Main {
    static func main() async {
        await ServiceMain.run(MatchOrchestratorConfiguration.service) { settings, context in
            [try MatchOrchestratorService(MatchOrchestratorConfiguration(settings), context)]
        }
    }
}
