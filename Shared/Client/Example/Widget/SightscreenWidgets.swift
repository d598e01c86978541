// The code of Shared/Client/docs/add-to-your-app.md for the widget extension. `AddToYourAppTests` compares it with the
// page; deploy/apple-check compiles it against stubs.
import AppIntents
import SightscreenClient
import SwiftUI
import WidgetKit

@main
struct SightscreenWidgets: WidgetBundle {
    var body: some Widget { MatchLiveActivityWidget() }
}

/// Includes the intent of the card's button, which the extension needs, too.
struct WidgetIntents: AppIntentsPackage {
    static var includedPackages: [any AppIntentsPackage.Type] { [CardIntents.self] }
}
