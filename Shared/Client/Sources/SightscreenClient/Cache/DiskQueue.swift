import Dispatch

/// Where one disk cache does its work: a thread that may stand still. A slow disk blocks whoever reads it, and the threads
/// that all other tasks share are as few as the processor's cores.
final class DiskQueue: SerialExecutor {
    private let queue: DispatchQueue

    init(label: String) { queue = DispatchQueue(label: label, qos: .utility) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedSerialExecutor()
        queue.async { job.runSynchronously(on: executor) }
    }
}
