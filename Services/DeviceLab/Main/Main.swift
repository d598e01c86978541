import DeviceLab
import ServiceKit

@main
enum Main {
    static func main() async {
        await ServiceMain.run(DeviceLabConfiguration.service) { settings, context in
            let configuration = try DeviceLabConfiguration(settings)
            context.readiness.set("port", false, reason: "not listening yet")
            let fleet = IPhoneFleet(configuration, logger: context.logger)
            let page = DeviceLabService(
                configuration, phones: fleet.phones, displayState: { try await fleet.displayState(of: $0) },
                logger: context.logger
            ) { _ in
                context.readiness.set("port", true, reason: nil)
            }
            // The page ends first: it shows what the phones say.
            return [fleet, page]
        }
    }
}
