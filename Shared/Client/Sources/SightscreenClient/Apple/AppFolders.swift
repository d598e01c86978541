// Compiled against stubs of Apple's frameworks only (deploy/apple-check).
#if canImport(Darwin)
    import Foundation

    extension DirectoryFileStore {
        /// A folder of the app group's container, which the widget sees, too; nil when the app has no such group. That is a
        /// mistake of the app's entitlements, and logged: in a folder of its own the app loses nothing, but its widget
        /// shows no logos.
        ///
        /// Compiled against stubs only.
        public init?(appGroup: String, folder: String) {
            guard let url = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: appGroup) else {
                AppLogger.error(
                    "There is no such app group: the widget sees no images", category: .images,
                    metadata: ["group": appGroup])
                return nil
            }
            self.init(path: url.appending(path: "Library/Caches/\(folder)").path(percentEncoded: false))
        }

        /// A folder of the app's own caches, which the system may empty.
        public static func caches(_ folder: String) -> DirectoryFileStore {
            DirectoryFileStore(path: URL.cachesDirectory.appending(path: folder).path(percentEncoded: false))
        }
    }
#endif
