import MatchEventBus
import ServiceKit

@main
enum Main {
    static func main() async {
        await ServiceMain.run(MatchEventBusConfiguration.service) { settings, context in
            [try MatchEventBusService(MatchEventBusConfiguration(settings), context)]
        }
    }
}
