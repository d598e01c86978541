import DeviceLab
import ServiceKit

@main
enum Main {
    static func main() async {
        await ServiceMain.run(DeviceLabConfiguration.service) { settings, context in
            let configuration = try DeviceLabConfiguration(settings)
            let fleet = IPhoneFleet(configuration, logger: context.logger)
            // The page ends first, because it shows the phones' state.
            return [fleet, DeviceLabService(configuration, context, fleet: fleet)]
        }
    }
}
