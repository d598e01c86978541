// This module stands for Foundation, half of which is a module of its own on Linux.
@_exported public import Foundation
@_exported public import FoundationNetworking

extension FileManager {
    public func containerURL(forSecurityApplicationGroupIdentifier groupIdentifier: String) -> URL? { nil }
}

extension NotificationCenter {
    public struct Publisher { public typealias Output = Notification }
    public func publisher(for name: Notification.Name, object: AnyObject? = nil) -> Publisher { Publisher() }
}

extension URLSession {
    public struct AsyncBytes: AsyncSequence, Sendable {
        public struct AsyncIterator: AsyncIteratorProtocol {
            public mutating func next() async throws -> UInt8? { nil }
        }
        public var task: URLSessionDataTask { fatalError() }
        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator() }
    }
    public func bytes(
        for request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (AsyncBytes, URLResponse) { fatalError() }
}

public struct LocalizedStringResource: ExpressibleByStringInterpolation, Sendable {
    public init(stringLiteral value: String) {}
}

extension URL { public static var cachesDirectory: URL { URL(filePath: "/") } }
