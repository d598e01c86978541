// swift-tools-version: 6.2
import PackageDescription

// The app's half of Sightscreen, without dependencies. A warning of another compiler does not stop an app: the checks
// of this repository build it with warnings as errors.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

// Xcode puts the privacy manifest into the app's bundle. Where there are no bundles it would only be code to find it.
#if os(macOS)
    let (manifest, withoutManifest): ([Resource], [String]) = ([.process("PrivacyInfo.xcprivacy")], [])
#else
    let (manifest, withoutManifest): ([Resource], [String]) = ([], ["PrivacyInfo.xcprivacy"])
#endif

let package = Package(
    name: "SightscreenClient",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        // For the app and its widget.
        .library(name: "SightscreenClient", targets: ["SightscreenClient", "SightscreenModels"]),
        // For the app alone: what Siri and Shortcuts can ask of it.
        .library(name: "SightscreenIntents", targets: ["SightscreenIntents"]),
        // For the app's tests: a phone to run it on, and fakes of what is around it.
        .library(name: "SightscreenClientTesting", targets: ["SightscreenClientTesting"]),
        // The contracts of app and backend alone.
        .library(name: "SightscreenModels", targets: ["SightscreenModels"]),
        // For the tests of this repository.
        .library(name: "TestSupport", targets: ["TestSupport"]),
    ],
    targets: [
        .target(name: "SightscreenModels", swiftSettings: settings),
        .target(
            name: "SightscreenClient", dependencies: ["SightscreenModels"], exclude: withoutManifest,
            resources: manifest, swiftSettings: settings),
        .target(
            name: "SightscreenIntents", dependencies: ["SightscreenModels", "SightscreenClient"],
            swiftSettings: settings),
        .target(
            name: "SightscreenClientTesting", dependencies: ["SightscreenModels", "SightscreenClient"],
            swiftSettings: settings),
        .target(
            name: "TestSupport", dependencies: ["SightscreenModels"], path: "Tests/Support", swiftSettings: settings),
        .testTarget(
            name: "SightscreenModelsTests", dependencies: ["SightscreenModels", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "SightscreenClientTests",
            dependencies: ["SightscreenModels", "SightscreenClient", "SightscreenClientTesting", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "SightscreenClientTestingTests",
            dependencies: ["SightscreenModels", "SightscreenClient", "SightscreenClientTesting", "TestSupport"],
            swiftSettings: settings),
    ]
)
