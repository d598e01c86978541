import FoundationEssentials
import Testing

/// The privacy manifest, which App Store Connect holds against the app's symbols.
@Suite struct PrivacyManifestTests {
    private struct Manifest: Decodable {
        struct Access: Decodable {
            var category: String
            var reasons: [String]

            enum CodingKeys: String, CodingKey {
                case category = "NSPrivacyAccessedAPIType"
                case reasons = "NSPrivacyAccessedAPITypeReasons"
            }
        }

        var tracks: Bool
        var accesses: [Access]

        enum CodingKeys: String, CodingKey {
            case tracks = "NSPrivacyTracking"
            case accesses = "NSPrivacyAccessedAPITypes"
        }
    }

    /// Names of required-reason APIs, by category
    /// (https://developer.apple.com/documentation/bundleresources/describing-use-of-required-reason-api).
    private static let categories = [
        "NSPrivacyAccessedAPICategoryUserDefaults": [": UserDefaults"],
        "NSPrivacyAccessedAPICategoryFileTimestamp": [
            ".creationDate", ".modificationDate", "contentModificationDate", "creationDateKey", "fstat(", "lstat(",
            "getattrlist",
        ],
        "NSPrivacyAccessedAPICategorySystemBootTime": ["systemUptime", "mach_absolute_time"],
        "NSPrivacyAccessedAPICategoryDiskSpace": [
            "volumeAvailableCapacity", "volumeTotalCapacity", "systemFreeSize", "systemSize", "statfs(", "statvfs(",
        ],
        "NSPrivacyAccessedAPICategoryActiveKeyboards": ["activeInputModes"],
    ]

    @Test func theManifestHasAReasonForEachAPIThatTheLibraryUses() throws {
        let folder = "Shared/Client/Sources/SightscreenClient"
        let manifest = try PropertyListDecoder().decode(
            Manifest.self, from: Data(try Sources.lines("\(folder)/PrivacyInfo.xcprivacy").joined(separator: "\n").utf8)
        )
        #expect(!manifest.tracks)
        var used: Set<String> = []
        for path in try Sources.swift(folder) {
            let text = try Sources.lines(path).joined(separator: "\n")
            used.formUnion(Self.categories.filter { $0.value.contains(where: text.contains) }.keys)
        }
        #expect(used == Set(manifest.accesses.map(\.category)))
        #expect(used.count == manifest.accesses.count)
        // Values of this app alone; files in the app's container.
        #expect(Set(manifest.accesses.flatMap(\.reasons)) == ["CA92.1", "C617.1"])
    }
}
