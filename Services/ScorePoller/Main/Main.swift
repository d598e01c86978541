import ScorePoller
import ServiceKit

@main
enum Main {
    static func main() async {
        await ServiceMain.run(ScorePollerConfiguration.service) { settings, context in
            [try ScorePollerService(ScorePollerConfiguration(settings), context)]
        }
    }
}
