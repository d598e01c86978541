import Testing

@testable import HTTPClient

@Suite struct HTTPClientErrorTests {
    @Test(arguments: [
        ("https://host/path?api_token=secret", "https://host/path"),
        ("https://user:secret@host/path#secret", "https://host/path"),
        ("https://host/a@b", "https://host/a@b"),
    ])
    func showsNoSecretOfAURL(_ url: String, _ shown: String) {
        #expect(HTTPClientError.place(of: url) == shown)
    }
}
