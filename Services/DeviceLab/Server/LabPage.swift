/// The page's files, as they are served.
public struct LabPage: Sendable {
    struct File: Sendable {
        var type: String
        var bytes: [UInt8]
    }

    /// The files by name; "" is the page itself.
    let files: [String: File]

    /// - Parameter files: the files by name, `index.html` among them.
    public init(_ files: [String: [UInt8]]) {
        var known: [String: File] = [:]
        for (name, bytes) in files {
            let ending = name.split(separator: ".").last ?? ""
            guard let type = Self.types[ending] else { continue }
            known[name == "index.html" ? "" : name] = File(type: type, bytes: bytes)
        }
        self.files = known
    }

    private static let types: [Substring: String] = [
        "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8",
        "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml",
    ]

    /// The files that are built into the executable.
    public static let embedded = LabPage([
        "index.html": PackageResources.index_html,
        "app.css": PackageResources.app_css,
        "phone.css": PackageResources.phone_css,
        "app.js": PackageResources.app_js,
        "dom.js": PackageResources.dom_js,
        "icons.js": PackageResources.icons_js,
        "stream.js": PackageResources.stream_js,
        "card.js": PackageResources.card_js,
        "card.css": PackageResources.card_css,
        "lockscreen.js": PackageResources.lockscreen_js,
        "island.js": PackageResources.island_js,
        "controls.js": PackageResources.controls_js,
        "match.js": PackageResources.match_js,
        "pipeline.js": PackageResources.pipeline_js,
        "tape.js": PackageResources.tape_js,
        "wall.js": PackageResources.wall_js,
    ])
}
