import Dispatch

/// The thread of one disk cache, which may block. A slow disk blocks the thread that reads it, and the shared threads
/// of all other tasks are only as many as the processor has cores.
final class DiskQueue: SerialExecutor {
    private let queue: DispatchQueue

    init(label: String) { queue = DispatchQueue(label: label, qos: .utility) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedSerialExecutor()
        queue.async { job.runSynchronously(on: executor) }
    }
}
