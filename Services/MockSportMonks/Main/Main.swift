import MockSportMonks
import ServiceKit

@main
enum Main {
    static func main() async {
        await ServiceMain.run(MockSportMonksConfiguration.service) { settings, context in
            [try MockSportMonksService(MockSportMonksConfiguration(settings), context)]
        }
    }
}
