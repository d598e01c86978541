// The code of Shared/Client/docs/add-to-your-app.md for the widget extension. `AddToYourAppTests` compares it with the
// page; deploy/apple-check compiles it against stubs.
import AppIntents
import Foundation
import SightscreenClient
import SightscreenModels
import SwiftUI
import UIKit
import WidgetKit

@main
struct SightscreenWidgets: WidgetBundle {
    init() { AppLogger.start([OSLogDestination(subsystem: "app.sightscreen")]) }

    var body: some Widget { MatchLiveActivityWidget() }
}

/// Includes the intent of the card's button, which the extension needs, too.
struct WidgetIntents: AppIntentsPackage {
    static var includedPackages: [any AppIntentsPackage.Type] { [CardIntents.self] }
}

/// A team's logo in an activity's view of your own. The app has downloaded it to the folder of their group.
struct WidgetLogo: View {
    private static let images = DirectoryFileStore(appGroup: "group.com.sightscreen", folder: "images")
        .map { WidgetImages(files: $0) }

    let teamAbbr: String
    let match: LiveActivityAttributes

    var body: some View {
        if let logo = Self.images?.logo(of: teamAbbr, in: match), let image = UIImage(data: Data(logo.bytes)) {
            Image(uiImage: image).resizable().frame(width: 24, height: 24)
        }
    }
}
