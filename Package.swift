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
        .executable(name: "life-lab", targets: ["LifeLab"]),
        .executable(name: "fanout-lab", targets: ["FanOutLab"]),
        .executable(name: "cache-lab", targets: ["CacheLab"]),
        // For the iOS app.
        .library(name: "SightscreenClient", targets: ["SightscreenClient"]),
        // For the iOS app's tests.
        .library(name: "ActivitySimulator", targets: ["ActivitySimulator"]),
        .executable(name: "page-stand", targets: ["PageStand"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-configuration", exact: "1.4.0", traits: ["CommandLineArguments"]),
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
        shared("Sightscreen"),
        shared("SportMonks", ["Sightscreen"]),
        shared("Detection", ["Sightscreen"]),
        shared("Tapes", ["Sightscreen", "SportMonks"]),
        shared("Replay", ["Sightscreen", "SportMonks", "Detection", "Tapes", "TapeFile"]),
        shared("Activities", ["Sightscreen"]),
        shared("Messages", ["Sightscreen", "SportMonks"]),
        shared("APNsProtocol", ["Sightscreen"]),
        // The phone's half: what an app is made of, and a phone to run it on.
        shared("SightscreenClient", ["Sightscreen", "Messages", "APNsProtocol"]),
        shared("LabAPI", ["Sightscreen"]),
        shared("ActivitySimulator", ["Sightscreen", "SightscreenClient", "APNsProtocol"]),

        // Mechanisms.
        shared("FileLock"),
        shared("Reactor", ["CLinux"]),
        shared("Processes", ["CLinux", "Reactor"]),
        shared("Postgres", ["CPostgres", "Reactor", metrics]),
        shared("HTTP2", ["CNGHTTP2", "COpenSSL", "Reactor"]),
        shared("HTTPClient", ["CCurl"]),
        shared("Tokens", ["COpenSSL", concurrencyHelpers]),
        shared("TapeFile", ["CZstd"]),
        shared("Wire", ["FileLock", "Messages", logging, metrics, lifecycle, concurrencyHelpers] + nio),

        shared(
            "Store", ["Sightscreen", "Activities", "Messages", "Postgres", logging, metrics],
            resources: [.embedInCode("Migrations")]),
        shared(
            "ServiceKit",
            [
                "FileLock", "HTTPClient", hummingbird, httpTypes, logging, metrics, lifecycle, unixSignals,
                configuration,
                concurrencyHelpers, nio[0],
            ]),
        // The control ports of the stand-ins and of the lab.
        shared("ControlHTTP", [hummingbird, httpTypes, nio[0]]),
    ]
        + service(
            "APIGateway",
            [
                "Sightscreen", "Messages", "Activities", "Postgres", "Store", "Tokens", "HTTPClient", "Wire",
                "ServiceKit",
                hummingbird, httpTypes, logging, lifecycle, metrics, concurrencyHelpers, nio[0],
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ])
        + service(
            "MatchOrchestrator",
            [
                "Sightscreen", "SportMonks", "Activities", "Messages", "Postgres", "Store", "HTTPClient", "Wire",
                "ServiceKit",
                logging, lifecycle, metrics,
            ])
        + service(
            "ScorePoller",
            [
                "Sightscreen", "SportMonks", "Messages", "Postgres", "TapeFile", "Store", "HTTPClient", "Wire",
                "ServiceKit",
                logging,
                lifecycle,
                metrics,
            ])
        + service(
            "MatchEventBus",
            [
                "Sightscreen", "SportMonks", "Detection", "Messages", "Postgres", "Store", "Wire", "ServiceKit",
                logging,
                lifecycle, metrics,
            ])
        + service(
            "LACoordinator",
            [
                "Sightscreen", "Activities", "Messages", "APNsProtocol", "Postgres", "Store", "HTTP2", "Reactor",
                "Tokens", "Wire", "ServiceKit", logging, lifecycle, metrics, concurrencyHelpers,
            ])
        + service(
            "MockSportMonks",
            [
                "Sightscreen", "SportMonks", "Tapes", "TapeFile", "ControlHTTP", "ServiceKit", hummingbird, httpTypes,
                logging, lifecycle, nio[0],
            ])
        + service(
            "APNsSimulator",
            [
                "Sightscreen", "APNsProtocol", "ControlHTTP", "HTTP2", "Reactor", "Tokens", "ServiceKit", hummingbird,
                httpTypes, logging, lifecycle, nio[0],
            ])
        + service(
            "DeviceLab",
            [
                "Sightscreen", "SightscreenClient", "ActivitySimulator", "APNsProtocol", "LabAPI", "Messages", "Tapes",
                "ControlHTTP", "HTTPClient", "ServiceKit", hummingbird, httpTypes, logging, lifecycle, nio[0],
            ],
            resources: [.embedInCode("Page")]
        )
        + service(
            "OperatorTool",
            [
                "Activities", "LabAPI", "Sightscreen", "SportMonks", "Tapes", "TapeFile", "Detection", "Replay",
                "Messages", "APNsProtocol", "Postgres",
                "Processes",
                "Reactor", "Store", "Tokens", "HTTPClient", "ServiceKit", hummingbird, httpTypes, arguments, logging,
                lifecycle,
                unixSignals,
            ])
        + [
            // Tests.
            .target(
                name: "TestKit",
                dependencies: [
                    "Sightscreen", "Postgres", "Store", "HTTPClient", "Processes", "Reactor", "ServiceKit", logging,
                ],
                path: "Tests/Support", swiftSettings: strict),
            .target(
                name: "PayloadProperty", dependencies: ["APNsProtocol", "Sightscreen"], path: "Tests/PayloadProperty",
                swiftSettings: strict),
            .target(
                name: "PretendPhones", dependencies: ["DeviceLab", "LabAPI", "Sightscreen"],
                path: "Tests/PretendPhones",
                swiftSettings: strict),
            // The page of device-lab without a pipeline: a real match on phones that only pretend.
            .executableTarget(
                name: "PageStand",
                dependencies: [
                    "DeviceLab", "Detection", "HTTPClient", "MockSportMonks", "PretendPhones", "Replay", "ServiceKit",
                    "Sightscreen", "Tapes", "TestKit", arguments, concurrencyHelpers, logging, lifecycle, unixSignals,
                ], path: "Tests/PageStand", swiftSettings: strict),
            // Long checks and measurements, built in release: deploy/test, deploy/soak and deploy/bench run it.
            .executableTarget(
                name: "DetectionLab",
                dependencies: [
                    "Sightscreen", "SportMonks", "Detection", "Tapes", "Replay", "PayloadProperty", arguments,
                ],
                path: "Tests/DetectionLab", swiftSettings: strict),
            .executableTarget(
                name: "LifeLab", dependencies: ["Activities", "Sightscreen", arguments], path: "Tests/LifeLab",
                swiftSettings: strict),
            .executableTarget(
                name: "RegistrationLab",
                dependencies: [
                    "APIGateway", "Messages", "Postgres", "ServiceKit", "Sightscreen", "Store", "Tokens", arguments,
                ],
                path: "Tests/RegistrationLab", swiftSettings: strict),
            .executableTarget(
                name: "RecoveryLab",
                dependencies: ["MatchOrchestrator", "Postgres", "Sightscreen", "Store", arguments, logging],
                path: "Tests/RecoveryLab", swiftSettings: strict),
            .executableTarget(
                name: "FanOutLab",
                dependencies: [
                    "APNsProtocol", "HTTP2", "LACoordinator", "Messages", "Postgres", "Reactor", "ServiceKit",
                    "Sightscreen",
                    "Store", "Tokens", arguments, logging,
                ], path: "Tests/FanOutLab", swiftSettings: strict),
            .executableTarget(
                name: "CacheLab",
                dependencies: ["HTTPClient", "Messages", "Sightscreen", "SightscreenClient", arguments],
                path: "Tests/CacheLab", swiftSettings: strict),
        ]
        + [
            tests("Sightscreen", ["Sightscreen"]),
            tests("SportMonks", ["SportMonks", "Sightscreen"]),
            tests("Detection", ["APNsProtocol", "Activities", "Detection", "Sightscreen", "SportMonks", "Tapes"]),
            tests("Tapes", ["Tapes", "SportMonks", "Sightscreen"]),
            tests("Replay", []),
            tests("Activities", ["Activities", "Sightscreen"]),
            tests("Messages", ["Messages", "Sightscreen"]),
            tests("APNsProtocol", ["APNsProtocol", "PayloadProperty", "Sightscreen"], exclude: ["Goldens"]),
            tests(
                "SightscreenClient",
                ["SightscreenClient", "ActivitySimulator", "APNsProtocol", "Messages", "Sightscreen"]),
            tests("ActivitySimulator", ["ActivitySimulator", "SightscreenClient", "APNsProtocol", "Sightscreen"]),
            tests("Reactor", ["Reactor"]),
            tests("Processes", ["Processes", "Reactor"]),
            tests("Postgres", ["Postgres", "Reactor", "ServiceKit", metrics]),
            tests("HTTP2", ["HTTP2", "Reactor"]),
            tests("HTTPClient", ["HTTPClient"]),
            tests("Tokens", ["Tokens"]),
            tests("TapeFile", ["TapeFile"]),
            tests("Wire", ["Wire", "Messages", "ServiceKit", logging, metrics, lifecycle]),
            tests(
                "Store",
                ["Store", "Postgres", "Sightscreen", "Activities", "Messages", "ServiceKit", logging, metrics]),
            tests("ServiceKit", ["ServiceKit", "HTTPClient", logging, metrics, configuration, lifecycle, nio[0]]),
            tests(
                "APIGateway",
                [
                    "APIGateway", "HTTPClient", "Postgres", "Store", "Tokens", "Messages", "Sightscreen", "ServiceKit",
                    logging, metrics, nio[0],
                ]),
            tests(
                "MatchOrchestrator",
                [
                    "MatchOrchestrator", "Activities", "Postgres", "Store", "Sightscreen", "SportMonks", "ServiceKit",
                    "Messages", "Wire",
                    logging,
                ]),
            tests(
                "ScorePoller",
                [
                    "ScorePoller", "SportMonks", "Sightscreen", "Messages", "Postgres", "ServiceKit", "TapeFile",
                    "Wire", logging,
                ]),
            tests(
                "MatchEventBus",
                [
                    "MatchEventBus", "Detection", "Postgres", "ServiceKit", "Store", "Sightscreen", "SportMonks",
                    "Messages", "Tapes", "Wire", logging,
                ]),
            tests(
                "LACoordinator",
                [
                    "LACoordinator", "APNsProtocol", "HTTP2", "Messages", "Postgres", "Reactor", "Store", "Sightscreen",
                    "Activities", "Tokens", "ServiceKit", "Wire", logging, metrics, concurrencyHelpers,
                ]),
            tests(
                "MockSportMonks",
                [
                    "MockSportMonks", "Tapes", "TapeFile", "SportMonks", "Sightscreen", "ServiceKit", "HTTPClient",
                    logging, lifecycle,
                ]),
            tests(
                "APNsSimulator",
                [
                    "APNsSimulator", "APNsProtocol", "HTTP2", "Reactor", "Tokens", "ServiceKit", "Sightscreen", logging,
                    lifecycle,
                ]),
            tests(
                "DeviceLab",
                [
                    "DeviceLab", "PretendPhones", "ActivitySimulator", "HTTPClient", "LabAPI", "ServiceKit",
                    "Sightscreen",
                    "SightscreenClient", logging, lifecycle,
                    concurrencyHelpers, nio[0], nio[1],
                ]),
            tests(
                "OperatorTool",
                [
                    "OperatorTool", arguments, "Activities", "LabAPI", "Messages", "Postgres", "Processes", "Reactor",
                    "Store",
                    "Tapes",
                    "Sightscreen",
                    "Tokens",
                ]),
            tests(
                "EndToEnd",
                [
                    "Sightscreen", "SightscreenClient", "ActivitySimulator", "SportMonks", "Tapes", "APNsProtocol",
                    "Messages", "Postgres", "HTTPClient", "Tokens", "DeviceLab", "LabAPI",
                    "OperatorTool", "Processes", "Reactor", "Wire", logging, lifecycle,
                ]),
            tests("Tidy", []),
        ]
)
