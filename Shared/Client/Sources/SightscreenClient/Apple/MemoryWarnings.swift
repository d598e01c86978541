// Compiled against stubs of Apple's frameworks only (deploy/apple-check).
#if canImport(SwiftUI) && canImport(UIKit)
    import Foundation
    public import SwiftUI
    import UIKit

    extension View {
        /// Tells the cache when the system is short of memory. It belongs on the root view.
        public func evictsImages(of cache: any ImageCacheService) -> some View {
            onReceive(
                NotificationCenter.default.publisher(for: UIApplication.didReceiveMemoryWarningNotification)
            ) { _ in cache.memoryPressure() }
        }
    }
#endif
