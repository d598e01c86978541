internal import Glibc

/// One address and port, in the kernel's form.
struct SocketAddress: Sendable {
    private let bytes: [UInt8]
    let family: Int32

    init(_ pointer: UnsafePointer<sockaddr>, count: socklen_t) {
        bytes = Array(UnsafeRawBufferPointer(start: pointer, count: Int(count)))
        family = Int32(pointer.pointee.sa_family)
    }

    func withNative<Result>(_ body: (UnsafePointer<sockaddr>?, socklen_t) -> Result) -> Result {
        bytes.withUnsafeBytes { body($0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count)) }
    }

    /// Looks up a name without a cache, on a thread of its own because the lookup may block for seconds.
    static func lookUp(host: String, port: Int) async throws(HTTP2Error) -> [SocketAddress] {
        if TLSStream.isAddress(host) { return try resolve(host, port, numeric: true).get() }
        let job = LookupJob(host: host, port: port)
        let result = await withCheckedContinuation { (continuation: CheckedContinuation<LookupJob.Answer, Never>) in
            job.start(continuation)
        }
        return try result.get()
    }

    fileprivate static func resolve(_ host: String, _ port: Int, numeric: Bool) -> LookupJob.Answer {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = numeric ? AI_NUMERICHOST | AI_NUMERICSERV : AI_NUMERICSERV
        var first: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, String(port), &hints, &first)
        guard status == 0 else {
            return .failure(HTTP2Error(.lookup, "\(host) has no address: \(String(cString: gai_strerror(status)))"))
        }
        defer { freeaddrinfo(first) }
        var addresses: [SocketAddress] = []
        var next = first
        while let entry = next {
            if let address = entry.pointee.ai_addr {
                addresses.append(SocketAddress(address, count: entry.pointee.ai_addrlen))
            }
            next = entry.pointee.ai_next
        }
        return .success(addresses)
    }
}

/// One name lookup on one thread.
private final class LookupJob: Sendable {
    typealias Answer = Result<[SocketAddress], HTTP2Error>

    private final class Start: Sendable {
        let job: LookupJob
        let continuation: CheckedContinuation<Answer, Never>
        init(_ job: LookupJob, _ continuation: CheckedContinuation<Answer, Never>) {
            self.job = job
            self.continuation = continuation
        }
    }

    let host: String
    let port: Int

    init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    func start(_ continuation: CheckedContinuation<Answer, Never>) {
        let start = Unmanaged.passRetained(Start(self, continuation))
        var thread = pthread_t()
        let status = pthread_create(
            &thread, nil,
            { raw in
                guard let raw else { return nil }
                let start = Unmanaged<Start>.fromOpaque(raw).takeRetainedValue()
                start.continuation.resume(
                    returning: SocketAddress.resolve(start.job.host, start.job.port, numeric: false))
                return nil
            }, start.toOpaque())
        if status == 0 {
            pthread_detach(thread)
        } else {
            start.release()
            continuation.resume(returning: .failure(HTTP2Error(.lookup, "no thread left to look up \(host)")))
        }
    }
}
