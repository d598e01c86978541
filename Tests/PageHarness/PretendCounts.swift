import NIOConcurrencyHelpers

/// What the pretended pipeline has counted, for servers that answer from threads of their own.
final class PretendCounts: Sendable {
    private let box = NIOLockedValueBox((versions: 0, pushes: 0))

    var versions: Int { box.withLockedValue { $0.versions } }
    var pushes: Int { box.withLockedValue { $0.pushes } }

    /// As long as it lives.
    func keep(upToDateWith scenario: PretendScenario) {
        Task { [weak self] in
            while let self {
                let counts = (await scenario.versions, await scenario.pushes)
                box.withLockedValue { $0 = counts }
                try? await Task.sleep(for: .milliseconds(250))
            }
        }
    }
}
