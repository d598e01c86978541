import DeviceLab
import ServiceKit

@main
enum Main {
    static func main() async {
        await ServiceMain.run(DeviceLabConfiguration.service) { settings, context in
            let configuration = try DeviceLabConfiguration(settings)
            context.readiness.set("port", false, reason: "not listening yet")
            return [
                DeviceLabService(configuration, phones: [], logger: context.logger) { _ in
                    context.readiness.set("port", true, reason: nil)
                }
            ]
        }
    }
}
