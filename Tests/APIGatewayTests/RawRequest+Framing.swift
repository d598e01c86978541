@testable import APIGateway

/// Bodies whose end two servers might see in different places.
extension RawRequest {
    static let framing: [RawRequest] = [
        .refused(
            "length and encoding", post("Content-Length: 5", "Transfer-Encoding: chunked", body: "0\r\n\r\n")),
        .refused(
            "encoding and length", post("Transfer-Encoding: chunked", "Content-Length: 5", body: "0\r\n\r\n")),
        .refused("two lengths", post("Content-Length: 5", "Content-Length: 6", body: "hello!")),
        .refused("two equal lengths", post("Content-Length: 5", "Content-Length: 5", body: "hello")),
        .refused("two lengths in one field", post("Content-Length: 5, 5", body: "hello")),
        .refused("a negative length", post("Content-Length: -1")),
        .refused("a length with a sign", post("Content-Length: +5", body: "hello")),
        .refused("a hexadecimal length", post("Content-Length: 0x5", body: "hello")),
        .refused("an empty length", post("Content-Length:")),
        .refused("a length with a blank", post("Content-Length: 1 0")),
        .refused("a length of letters", post("Content-Length: five")),
        .refused("a length with a point", post("Content-Length: 5.0")),
        .refused("a length in other digits", post("Content-Length: ٥")),
        .refused("a large length", post("Content-Length: 16385")),
        .refused("a huge length", post("Content-Length: 99999999999999999999999")),
        .refused("a length of 2^64 + 5", post("Content-Length: 18446744073709551621", body: "hello")),
        .refused("two encodings", post("Transfer-Encoding: chunked", "Transfer-Encoding: chunked")),
        .refused("an encoding twice", post("Transfer-Encoding: chunked, chunked")),
        .refused("identity", post("Transfer-Encoding: identity")),
        .refused("gzip", post("Transfer-Encoding: gzip, chunked")),
        .refused("chunked, then identity", post("Transfer-Encoding: chunked, identity")),
        .refused("xchunked", post("Transfer-Encoding: xchunked")),
        .refused("chunked in quotes", post("Transfer-Encoding: \"chunked\"")),
        .refused("chunked with a parameter", post("Transfer-Encoding: chunked;q=1")),
        .refused("an empty encoding", post("Transfer-Encoding:")),
        .refused("a folded encoding", post("Transfer-Encoding:\r\n chunked")),
        .refused(
            "an encoding in HTTP/1.0", "POST /devices HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        .refused("a chunk without a size", chunked("\r\nhello\r\n0\r\n\r\n")),
        .refused("a chunk with a sign", chunked("+5\r\nhello\r\n0\r\n\r\n")),
        .refused("a negative chunk", chunked("-5\r\nhello\r\n0\r\n\r\n")),
        .refused("a chunk's size with 0x", chunked("0x5\r\nhello\r\n0\r\n\r\n")),
        .refused("a chunk's size that is no number", chunked("g\r\nhello\r\n0\r\n\r\n")),
        .refused("a blank before a chunk's size", chunked(" 5\r\nhello\r\n0\r\n\r\n")),
        .refused("a blank after a chunk's size", chunked("5 \r\nhello\r\n0\r\n\r\n")),
        .refused("a chunk's size of nine digits", chunked("000000005\r\nhello\r\n0\r\n\r\n")),
        .refused("a chunk's size of 2^64 + 5", chunked("10000000000000005\r\nhello\r\n0\r\n\r\n")),
        .refused("a large chunk", chunked("ffffffff\r\nhello")),
        .refused("a chunk of a byte too many", chunked("4001\r\n")),
        .refused("a chunk longer than said", chunked("4\r\nhello\r\n0\r\n\r\n")),
        .refused("a chunk shorter than said", chunked("6\r\nhello\r\n0\r\n\r\n")),
        .refused("a chunk ended by LF", chunked("5\r\nhello\n0\r\n\r\n")),
        .refused("a chunk's size ended by LF", chunked("5\nhello\r\n0\r\n\r\n")),
        .refused("a control byte in an extension", chunked("5;a=\u{1}\r\nhello\r\n0\r\n\r\n")),
        .refused("UTF-8 in an extension", chunked("5;é\r\nhello\r\n0\r\n\r\n")),
        .refused("a long extension", chunked("5;\(String(repeating: "a", count: 63))\r\n")),
        .refused("an extension that never ends", chunked("5;\(String(repeating: "a", count: 9_000))")),
        .refused(
            "many small chunks", chunked(String(repeating: "1;aaaaaaaaaaaaaaaa\r\nx\r\n", count: 800))),
        .refused("a length in a trailer", chunked("0\r\nContent-Length: 5\r\n\r\n")),
        .refused("an encoding in a trailer", chunked("0\r\nTransfer-Encoding: chunked\r\n\r\n")),
        .refused("a host in a trailer", chunked("0\r\nHost: b\r\n\r\n")),
        .refused("a trailer without a colon", chunked("0\r\nTrailer\r\n\r\n")),
        .refused("long trailers", chunked("0\r\nX: \(String(repeating: "a", count: 1_024))\r\n\r\n")),
        .refused("a request in a body without a length", post(body: "GPOST / HTTP/1.1\r\n"), after: [401]),
        .refused(
            "a good one, then a bad one, then a good one", live + "BAD\r\n\r\n" + live, after: [200]),
        .refused("a bad one before a good one", "GET / HTTP/1.1\r\nX\r\n\r\n" + live),
        .refused(
            "a smuggled request after a zero chunk",
            post("Content-Length: 4", "Transfer-Encoding: chunked", body: "0\r\n\r\n" + live)),
        .refused(
            "a smuggled request behind a blank", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length : 40\r\n\r\n" + live),
    ]
}
