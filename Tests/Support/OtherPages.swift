/// What browsers send for pages that are not ours, tried on a control port with curl.
public enum OtherPages {
    private static let json = "Content-Type: application/json"

    /// Lines of the header, and the status that refuses them.
    private static let refused: [([String], Int)] = [
        ([json, "Origin: http://evil.example"], 403), ([json, "Origin: null"], 403),
        ([json, "Origin: http://127.0.0.1:1"], 403), ([json, "Sec-Fetch-Site: cross-site"], 403),
        ([json, "Sec-Fetch-Site: same-site"], 403),
        // What a form or a script may send without asking.
        (["Content-Type: text/plain"], 415), (["Content-Type: text/plain;charset=UTF-8"], 415),
        (["Content-Type: multipart/form-data; boundary=x"], 415),
        (["Content-Type: application/x-www-form-urlencoded", "Origin: http://evil.example"], 403),
        // A browser says so of a page of this port, too; it has none.
        (["Content-Type: application/x-www-form-urlencoded", "Sec-Fetch-Site: none"], 415),
        // A name of somebody else's, which now points here.
        ([json, "Host: evil.example"], 421), ([json, "Host: evil.example:80", "Sec-Fetch-Site: same-origin"], 421),
        ([json, "Host: 127.0.0.1.evil.example"], 421),
    ]

    private static let taken: [[String]] = [
        [json], ["Content-Type:"], ["Content-Type: application/x-www-form-urlencoded"], [json, "Host: localhost:8080"],
        [json, "Host: mock-sportmonks:8092"], [json, "Host: 192.168.1.7:8091"], [json, "Host: [::1]:8091"],
    ]

    /// - Parameters:
    ///   - url: of a call that takes `body` by POST.
    ///   - reading: of one that takes GET.
    /// - Returns: what was not as it should be.
    public static func problems(posting body: String, to url: String, reading: String, in folder: String) async throws
        -> [String]
    {
        var problems: [String] = []
        for (lines, status) in refused {
            let answer = try await ask(lines, ["-d", body, url], folder)
            if answer != "\(status)" { problems.append("POST \(lines): \(answer)") }
        }
        for line in ["Host: evil.example", "Sec-Fetch-Site: cross-site"] {
            let answer = try await ask([line], [reading], folder)
            if answer != "421" && answer != "403" { problems.append("GET \(line): \(answer)") }
        }
        for lines in taken {
            let answer = try await ask(lines, ["-d", body, url], folder)
            if !answer.hasPrefix("2") { problems.append("POST \(lines): \(answer)") }
        }
        let read = try await ask([], [reading], folder)
        return read == "200" ? problems : problems + ["GET: \(read)"]
    }

    private static func ask(_ lines: [String], _ rest: [String], _ folder: String) async throws -> String {
        let headers = lines.flatMap { ["-H", $0] }
        return try await Tool.run(
            ["curl", "-s", "-m", "20", "-o", "/dev/null", "-w", "%{http_code}"] + headers + rest, in: folder)
    }
}
