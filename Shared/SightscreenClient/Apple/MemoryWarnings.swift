// Could not be compiled where the rest of this package was.
#if canImport(SwiftUI) && canImport(UIKit)
    public import SwiftUI
    import UIKit

    extension View {
        /// Tells the cache when the system is short of memory. For the root view.
        ///
        /// Not compiled here.
        public func evictsImages(of cache: any ImageCacheService) -> some View {
            onReceive(
                NotificationCenter.default.publisher(for: UIApplication.didReceiveMemoryWarningNotification)
            ) { _ in cache.memoryPressure() }
        }
    }
#endif
