// Compiled against stubs of Apple's frameworks only (deploy/apple-check).
#if canImport(UIKit) && os(iOS)
    import Foundation
    import UIKit

    extension ImageData {
        /// Returns the image with at most 60 points a side, at three pixels a point; nil when it cannot be decoded. A
        /// smaller one stays as it is.
        ///
        /// An activity may not start when an image of its card is larger than its presentation ([Displaying live data
        /// with Live Activities](https://developer.apple.com/documentation/activitykit/displaying-live-data-with-live-activities)).
        public static func thumbnail(_ image: ImageData) -> ImageData? {
            guard let decoded = UIImage(data: Data(image.bytes)) else { return nil }
            // The scale of an image that is made of data is 1, so its points are pixels.
            let longest = max(decoded.size.width, decoded.size.height)
            guard longest > thumbnailPixels else { return image }
            let factor = thumbnailPixels / longest
            let size = CGSize(width: decoded.size.width * factor, height: decoded.size.height * factor)
            return decoded.preparingThumbnail(of: size)?.pngData().flatMap { ImageData([UInt8]($0)) }
        }

        private static var thumbnailPixels: CGFloat { 180 }
    }
#endif
