// swift-tools-version: 6.3
import PackageDescription

// Every target of ours is compiled alike: Swift 6, the upcoming features we rely on, and no warning left standing.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

/// A module that several services share, at `Shared/<name>`.
func shared(_ name: String, _ dependencies: [Target.Dependency] = [], resources: [Resource]? = nil) -> Target {
    .target(name: name, dependencies: dependencies, path: "Shared/\(name)", resources: resources, swiftSettings: strict)
}

/// A stage's logic at `Services/<name>`, and its `@main` at `Services/<name>/Main` (flags and wiring only).
func service(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource]? = nil) -> [Target] {
    [
        .target(
            name: name, dependencies: dependencies, path: "Services/\(name)", exclude: ["Main"], resources: resources,
            swiftSettings: strict),
        .executableTarget(
            name: "\(name)Main", dependencies: [.target(name: name)] + dependencies,
            path: "Services/\(name)/Main", swiftSettings: strict),
    ]
}

/// Tests are not optimised in a release build either: that takes longer than they do, and the compiler dies of some.
let unoptimised: [SwiftSetting] = strict + [.unsafeFlags(["-Onone"], .when(configuration: .release))]

func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: dependencies + ["TestKit"], path: "Tests/\(name)Tests",
        exclude: exclude, swiftSettings: name == "Tapes" ? strict : unoptimised)  // Tapes' read a hundred megabytes.
}

func clibrary(_ name: String, pkgConfig: String, apt: String) -> Target {
    .systemLibrary(name: name, path: "Shared/C/\(name)", pkgConfig: pkgConfig, providers: [.apt([apt])])
}

let nio: [Target.Dependency] = [
    .product(name: "NIOCore", package: "swift-nio"),
    .product(name: "NIOPosix", package: "swift-nio"),
]
// The app's half, a package of its own.
let models: Target.Dependency = .product(name: "SightscreenModels", package: "Client")
let client: Target.Dependency = .product(name: "SightscreenClient", package: "Client")
let clientTesting: Target.Dependency = .product(name: "SightscreenClientTesting", package: "Client")
let testSupport: Target.Dependency = .product(name: "TestSupport", package: "Client")
let hummingbird: Target.Dependency = .product(name: "Hummingbird", package: "hummingbird")
let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let metrics: Target.Dependency = .product(name: "Metrics", package: "swift-metrics")
let lifecycle: Target.Dependency = .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let unixSignals: Target.Dependency = .product(name: "UnixSignals", package: "swift-service-lifecycle")
let configuration: Target.Dependency = .product(name: "Configuration", package: "swift-configuration")
let arguments: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let concurrencyHelpers: Target.Dependency = .product(name: "NIOConcurrencyHelpers", package: "swift-nio")

let package = Package(
    name: "sightscreen",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .executable(name: "api-gateway", targets: ["APIGatewayMain"]),
        .executable(name: "orchestrator", targets: ["MatchOrchestratorMain"]),
        .executable(name: "score-poller", targets: ["ScorePollerMain"]),
        .executable(name: "event-bus", targets: ["MatchEventBusMain"]),
        .executable(name: "la-coordinator", targets: ["LACoordinatorMain"]),
        .executable(name: "mock-sportmonks", targets: ["MockSportMonksMain"]),
        .executable(name: "apns-simulator", targets: ["APNsSimulatorMain"]),
        .executable(name: "device-lab", targets: ["DeviceLabMain"]),
        .executable(name: "sightscreen", targets: ["OperatorToolMain"]),
        .executable(name: "detection-lab", targets: ["DetectionLab"]),
        .executable(name: "registration-lab", targets: ["RegistrationLab"]),
        .executable(name: "recovery-lab", targets: ["RecoveryLab"]),
        .executable(name: "fanout-lab", targets: ["FanOutLab"]),
        .executable(name: "page-harness", targets: ["PageHarness"]),
    ],
    dependencies: [
        .package(path: "Shared/Client"),
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-configuration", exact: "1.4.0", traits: []),
        .package(url: "https://github.com/apple/swift-http-types", exact: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", exact: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
        .package(
            url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1", traits: ["ConfigurationSupport"]
        ),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
    ],
    targets: [
        // C libraries: a module map and what Swift cannot call, nothing else.
        clibrary("CPostgres", pkgConfig: "libpq", apt: "libpq-dev"),
        clibrary("CCurl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev"),
        clibrary("COpenSSL", pkgConfig: "openssl", apt: "libssl-dev"),
        clibrary("CNGHTTP2", pkgConfig: "libnghttp2", apt: "libnghttp2-dev"),
        clibrary("CZstd", pkgConfig: "libzstd", apt: "libzstd-dev"),
        .systemLibrary(name: "CLinux", path: "Shared/C/CLinux"),

        // Pure: no socket, clock, thread or database.
        shared("Cricket", [models]),
        shared("SportMonks", [models, "Cricket"]),
        shared("Detection", [models, "Cricket"]),
        shared("Tapes", ["SportMonks"]),
        shared("Replay", [models, "Cricket", "SportMonks", "Detection", "Tapes", "TapeFile"]),
        shared("Activities", [models, "Cricket"]),
        shared("Messages", [models, "SportMonks"]),
        shared("APNsProtocol", [models, "Activities", "Cricket"]),

        // Mechanisms.
        shared("FileLock"),
        shared("Reactor", ["CLinux"]),
        shared("Processes", ["CLinux", "Reactor"]),
        shared("Postgres", ["CPostgres", "COpenSSL", "Reactor", metrics]),
        shared("HTTP2", ["CNGHTTP2", "COpenSSL", "Reactor"]),
        // Pushes the newest state of each match to a million phones.
        shared(
            "FanOut",
            [
                models, "Activities", "Messages", "APNsProtocol", "HTTP2", "Reactor", concurrencyHelpers,
            ]),
        shared("HTTPClient", ["CCurl"]),
        shared("Tokens", ["COpenSSL", concurrencyHelpers]),
        shared("TapeFile", ["CZstd"]),
        shared("Wire", ["Messages", "FileLock", logging, metrics, lifecycle, concurrencyHelpers] + nio),

        shared(
            "Store", [models, "Cricket", "Activities", "Postgres", "Tokens", logging, metrics],
            resources: [.embedInCode("Migrations")]),
        shared(
            "ServiceKit",
            [
                models, "ControlHTTP", "FileLock", "HTTPClient", "Postgres", "Reactor", "Tokens", hummingbird,
                .product(name: "HummingbirdCore", package: "hummingbird"), httpTypes, logging,
                metrics,
                lifecycle,
                unixSignals, configuration, concurrencyHelpers, nio[0],
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ]),
        // The control ports of the stand-ins and of the lab.
        shared("ControlHTTP", [hummingbird, httpTypes, nio[0]]),
    ]
        + service(
            "APIGateway",
            [
                models, "Activities", "Messages", "Postgres", "Store", "Tokens", "HTTPClient", "Wire", "ServiceKit",
                hummingbird, httpTypes, logging, lifecycle, metrics, concurrencyHelpers, nio[0],
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ])
        + service(
            "MatchOrchestrator",
            [
                models, "Activities", "Messages", "SportMonks", "Postgres", "Store", "HTTPClient", "Wire", "ServiceKit",
                logging, lifecycle, metrics,
            ])
        + service(
            "ScorePoller",
            [
                models, "Cricket", "Messages", "SportMonks", "Postgres", "Reactor", "TapeFile", "Store", "HTTPClient",
                "Wire", "ServiceKit", logging, lifecycle, metrics,
            ])
        + service(
            "MatchEventBus",
            [
                models, "Cricket", "Messages", "SportMonks", "Detection", "Postgres", "Reactor", "Store", "Wire",
                "ServiceKit",
                logging, lifecycle, metrics,
            ])
        + service(
            "LACoordinator",
            [
                models, "Activities", "Messages", "APNsProtocol", "FanOut", "Postgres", "Store", "HTTP2",
                "HTTPClient", "Reactor", "Tokens", "Wire", "ServiceKit", logging, lifecycle, metrics,
            ])
        + service(
            "MockSportMonks",
            [
                models, "SportMonks", "Tapes", "TapeFile", "ControlHTTP", "ServiceKit", hummingbird, httpTypes, logging,
                lifecycle, nio[0],
            ])
        + service(
            "APNsSimulator",
            [
                models, clientTesting, "ControlHTTP", "HTTP2", "Reactor", "Tokens", "ServiceKit",
                hummingbird, httpTypes, logging, lifecycle, nio[0],
            ])
        + service(
            "DeviceLab",
            [
                models, client, clientTesting, "Cricket", "APNsProtocol", "Tapes", "Tokens", "ControlHTTP",
                "HTTPClient", "Postgres", "Store", "ServiceKit", hummingbird, httpTypes, logging, lifecycle, nio[0],
            ],
            resources: [.embedInCode("Page")]
        )
        + service(
            "OperatorTool",
            [
                models, "Activities", "ControlHTTP", "SportMonks", "Tapes", "TapeFile", "Detection", "Replay",
                "Postgres", "Processes", "Reactor", "Store", "Tokens", "HTTPClient", "ServiceKit", hummingbird,
                httpTypes, arguments, logging, lifecycle, unixSignals,
            ])
        + [
            // Tests.
            .target(
                name: "TestKit",
                dependencies: [
                    testSupport, "HTTP2", "Postgres", "Store", "HTTPClient", "Processes", "Reactor", "ServiceKit",
                    "Tokens",
                    logging,
                ],
                path: "Tests/Support", swiftSettings: strict),
            .target(
                name: "PayloadProperty", dependencies: [models, "APNsProtocol", testSupport],
                path: "Tests/PayloadProperty",
                swiftSettings: strict),
            .target(
                name: "PretendPhones", dependencies: [models, "DeviceLab"],
                path: "Tests/PretendPhones",
                swiftSettings: strict),
            // The page of device-lab without a pipeline: a real match on phones that only pretend.
            .executableTarget(
                name: "PageHarness",
                dependencies: [
                    models, "Cricket", "DeviceLab", "Detection", "HTTPClient", "MockSportMonks",
                    "PretendPhones",
                    "Replay", "ServiceKit", "Tapes", "TestKit", arguments, concurrencyHelpers, logging, lifecycle,
                    unixSignals,
                ], path: "Tests/PageHarness", swiftSettings: strict),
            // Long checks and measurements, built in release: deploy/test, deploy/soak and deploy/bench run it.
            .executableTarget(
                name: "DetectionLab",
                dependencies: [
                    models, "Cricket", "SportMonks", "Detection", "Tapes", "Replay", "PayloadProperty", "APNsProtocol",
                    testSupport, arguments,
                ],
                path: "Tests/DetectionLab", swiftSettings: strict),
            .executableTarget(
                name: "RegistrationLab",
                dependencies: [
                    models, "Cricket", "APIGateway", "Postgres", "ServiceKit", "Store", "Tokens", arguments,
                ],
                path: "Tests/RegistrationLab", swiftSettings: strict),
            .executableTarget(
                name: "RecoveryLab",
                dependencies: [
                    models, "Activities", "LACoordinator", "MatchOrchestrator", "Postgres", "Store", arguments, logging,
                ],
                path: "Tests/RecoveryLab", swiftSettings: strict),
            .executableTarget(
                name: "FanOutLab",
                dependencies: [
                    models, "Activities", "Messages", "APNsProtocol", "FanOut", "HTTP2", "LACoordinator", "Postgres",
                    "Reactor",
                    "ServiceKit", "Store", "Tokens", arguments, logging,
                ], path: "Tests/FanOutLab", swiftSettings: strict),
        ]
        + [
            tests("Cricket", ["Cricket"]),
            tests("SportMonks", [models, "Cricket", "SportMonks"]),
            tests(
                "Detection",
                [models, "Cricket", "APNsProtocol", "Detection", "SportMonks", "Tapes", "TapeFile", "Replay"]),
            tests("Tapes", ["Tapes", "SportMonks"]),
            tests("Replay", [models]),
            tests("Activities", [models, "Activities"]),
            tests("Messages", [models, "Messages"]),
            tests("APNsProtocol", [models, "APNsProtocol", "PayloadProperty"], exclude: ["Goldens"]),
            tests("Reactor", ["Reactor"]),
            tests("Processes", ["Processes", "Reactor"]),
            tests("Postgres", ["Postgres", "Reactor", "ServiceKit", metrics]),
            tests("HTTP2", ["HTTP2", "Reactor"]),
            tests("HTTPClient", ["HTTPClient"]),
            tests("Tokens", ["Tokens"]),
            tests("TapeFile", ["TapeFile"]),
            tests("Wire", ["Messages", "Wire", "ServiceKit", logging, metrics, lifecycle]),
            tests("Store", [models, "Cricket", "Store", "Postgres", "ServiceKit", logging, metrics]),
            tests(
                "Life",
                [
                    models, "Cricket", "Activities", "Store", "Tokens", "Postgres", "APIGateway", "LACoordinator",
                    "MatchEventBus",
                    "MatchOrchestrator", concurrencyHelpers,
                ],
                exclude: ["Patches", "swift-mistakes"]),
            tests(
                "ServiceKit",
                ["ServiceKit", "HTTPClient", "Postgres", logging, metrics, configuration, lifecycle, nio[0]]),
            tests(
                "APIGateway",
                [
                    models, "Cricket", "Activities", "APIGateway", "LACoordinator", "MatchOrchestrator", "HTTPClient",
                    "Postgres", "Store", "Tokens", "ServiceKit", logging, metrics, nio[0],
                ]),
            tests(
                "MatchOrchestrator",
                [
                    models, "Cricket", "Activities", "Messages", "APIGateway", "LACoordinator", "MatchOrchestrator",
                    "Postgres", "Store", "SportMonks", "ServiceKit", "Wire", logging,
                ]),
            tests(
                "ScorePoller",
                [
                    models, "Cricket", "Detection", "Messages", "ScorePoller", "SportMonks", "Tapes", "Postgres",
                    "ServiceKit", "TapeFile", "Wire", logging,
                ]),
            tests(
                "MatchEventBus",
                [
                    models, "Cricket", "Messages", "LACoordinator", "MatchEventBus", "Detection", "Postgres",
                    "ServiceKit", "Store",
                    "SportMonks", "Tapes", "Wire", logging, metrics,
                ]),
            tests(
                "LACoordinator",
                [
                    models, "Cricket", "Activities", "Messages", "APNsProtocol", "APNsSimulator", "APIGateway",
                    "FanOut", "LACoordinator", "MatchOrchestrator", "OperatorTool", "HTTP2", "Postgres",
                    "Reactor", "Store", "Tokens", "ServiceKit", "Wire", logging, metrics, concurrencyHelpers,
                ]),
            tests(
                "MockSportMonks",
                [
                    models, "MockSportMonks", "Tapes", "TapeFile", "SportMonks", "ServiceKit", "HTTPClient", logging,
                    lifecycle,
                ]),
            tests(
                "APNsSimulator",
                [
                    models, clientTesting, "APNsProtocol", "APNsSimulator", "HTTP2", "Reactor", "Tokens", "ServiceKit",
                    logging, lifecycle,
                ],
                exclude: ["make_requests.py"]),
            tests(
                "DeviceLab",
                [
                    models, client, clientTesting, "Cricket", "DeviceLab", "PretendPhones", "HTTPClient", "Postgres",
                    "ServiceKit", "Tokens", logging, lifecycle, concurrencyHelpers, nio[0], nio[1],
                ]),
            tests(
                "OperatorTool",
                [
                    models, "Cricket", "Activities", "LACoordinator", "MatchOrchestrator", "OperatorTool", arguments,
                    "Postgres", "Processes", "Reactor", "ServiceKit", "Store", "Tapes", "Tokens", hummingbird,
                    logging, lifecycle,
                ]),
            tests(
                "EndToEnd",
                [
                    models, client, clientTesting, "SportMonks", "Tapes", "Postgres", "HTTP2", "HTTPClient", "Tokens",
                    "DeviceLab", "OperatorTool", "Processes", "Reactor", "Wire", logging, lifecycle,
                ]),
            tests("Tidy", []),
        ]
)

// With SIGHTSCREEN_TARGETS="DetectionTests" (or a comma list; "programs" are the services, the stand-ins and the command
// line) the package is those targets and what they depend on:
// deploy/up, the images and `deploy/test --filter` build no more than they run.
if let wanted = Context.environment["SIGHTSCREEN_TARGETS"], !wanted.isEmpty {
    let programs = package.targets.map(\.name).filter { $0.hasSuffix("Main") }
    var names = wanted.split(separator: ",").flatMap { $0 == "programs" ? programs : [String($0)] }
    var kept: Set<String> = []
    while let name = names.popLast() {
        guard kept.insert(name).inserted else { continue }
        guard let target = package.targets.first(where: { $0.name == name }) else {
            fatalError("SIGHTSCREEN_TARGETS: there is no target \(name)")
        }
        for case .byNameItem(let below, _) in target.dependencies { names.append(below) }
        for case .targetItem(let below, _) in target.dependencies { names.append(below) }
    }
    package.targets.removeAll { !kept.contains($0.name) }
    package.products.removeAll { product in
        guard let product = product as? Product.Executable else { return false }
        return !kept.isSuperset(of: product.targets)
    }
}
