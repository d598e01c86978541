// Compiled against stubs of Apple's frameworks only (deploy/apple-check).
#if canImport(Darwin)
    import Foundation

    extension DirectoryFileStore {
        /// A folder in the app group's container, which the widget can read, too; nil when the app has no such group.
        /// Such an app has a mistake in its entitlements, which is logged: with a folder of its own the app loses
        /// nothing, but its widget shows no logos.
        public init?(appGroup: String, folder: String) {
            guard let url = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: appGroup) else {
                AppLogger.error(
                    "There is no such app group: the widget sees no images", category: .images,
                    metadata: ["group": appGroup])
                return nil
            }
            self.init(path: url.appending(path: "Library/Caches/\(folder)").path(percentEncoded: false))
        }

        /// A folder in the app's own caches, which the system may empty.
        public static func caches(_ folder: String) -> DirectoryFileStore {
            DirectoryFileStore(path: URL.cachesDirectory.appending(path: folder).path(percentEncoded: false))
        }
    }
#endif
