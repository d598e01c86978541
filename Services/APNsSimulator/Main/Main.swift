import APNsSimulator
import ServiceKit
import ServiceLifecycle

@main
enum Main {
    static func main() async {
        await ServiceMain.run(SimulatorConfiguration.service) { settings, context in
            let configuration = try SimulatorConfiguration(settings)
            context.readiness.set("ports", false, reason: "not listening yet")
            return [
                APNsSimulatorService(configuration, logger: context.logger) { _ in
                    context.readiness.set("ports", true, reason: nil)
                }
            ]
        }
    }
}
