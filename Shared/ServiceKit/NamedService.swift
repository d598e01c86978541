import Postgres
import ServiceLifecycle
import Tokens

/// Runs a service and adds its name to its failure. Ending without being asked to is a failure, too.
struct NamedService: Service {
    let service: any Service
    let name: String

    init(_ service: any Service) {
        self.service = service
        name = (service as? any CustomStringConvertible).map { $0.description } ?? "\(type(of: service))"
    }

    func run() async throws {
        do {
            try await service.run()
        } catch let error as ConfigurationError {
            throw error
        } catch let error as TokenKeyFile.Mismatch {
            throw ConfigurationError(setting: TokenKeyFile.setting, problem: "\(error)")
        } catch let error as PostgresError where error.code == .configuration {
            throw ConfigurationError(setting: DatabaseSetting.name, problem: error.message)
        } catch {
            if error is CancellationError, Task.isCancelled || Task.isShuttingDownGracefully { return }
            throw ServiceFailure(name: name, cause: error)
        }
        if !Task.isCancelled, !Task.isShuttingDownGracefully {
            throw ServiceFailure(name: name, cause: EndedUnexpectedly())
        }
    }
}

struct ServiceFailure: Error, CustomStringConvertible {
    var name: String
    var cause: any Error

    var description: String { "\(name) failed" }
}

/// A part of a service returned although it was not asked to end.
struct EndedUnexpectedly: Error, CustomStringConvertible {
    var description: String { "it ended unexpectedly" }
}
