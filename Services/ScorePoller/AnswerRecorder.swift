import FoundationEssentials
import Glibc
import Logging
import ServiceKit
import TapeFile

/// Writes a tape of the answers that a group's polls fetched: `<group>-<UTC time>.tape`, begun with the first answer.
/// When the disk is full, or fails otherwise, the failure is logged once, the tape ends with the last whole answer, and
/// another tape is tried after a minute: a recording never delays a poll.
actor AnswerRecorder {
    static let pauseAfterFailure = Duration.seconds(60)

    private struct Tape {
        var descriptor: Int32
        var writer: TapeFileWriter
        var began: ContinuousClock.Instant
        /// The bytes of whole answers.
        var size: Int
    }

    private struct Failure: Error {
        var text: String
    }

    private let folder: String
    private let group: String
    private let logger: Logger
    private let problems = OncePer<String>()
    private var tape: Tape?
    private var notBefore: ContinuousClock.Instant?

    init(folder: String, group: String, logger: Logger) {
        self.folder = folder
        self.group = group
        self.logger = logger
    }

    /// - Parameter path: the path without base, token and query.
    func record(path: String, status: Int, body: [UInt8]) {
        if let notBefore, .now < notBefore { return }
        do throws(Failure) {
            if tape == nil { tape = try open() }
            guard let tape else { return }
            let elapsed = (ContinuousClock.now - tape.began) / .milliseconds(1)
            let bytes: [UInt8]
            do throws(TapeFileError) {
                bytes = try tape.writer.append(
                    RecordedAnswer(atMs: Int64(elapsed), path: path, status: status, body: body))
            } catch {
                throw Failure(text: "\(error)")
            }
            try write(bytes)
            problems.clear("tape")
        } catch {
            stopAfterFailure(error.text)
        }
    }

    /// Ends the tape, if there is one.
    func finish() {
        guard let tape else { return }
        do throws(Failure) {
            let bytes: [UInt8]
            do throws(TapeFileError) { bytes = try tape.writer.finish() } catch { throw Failure(text: "\(error)") }
            try write(bytes)
            close(tape.descriptor)
            self.tape = nil
        } catch {
            stopAfterFailure(error.text)
        }
    }

    private func open() throws(Failure) -> Tape {
        let now = Date.now
        let time = now.formatted(Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted))
        let name = "\(group)-\(time).tape"
        let writer: TapeFileWriter
        do throws(TapeFileError) {
            writer = try TapeFileWriter(
                TapeFileHeader(
                    title: "Poll group \(group)", recordedAt: now.formatted(Date.ISO8601FormatStyle())))
        } catch {
            throw Failure(text: "\(error)")
        }
        let descriptor = Glibc.open(
            "\(folder)/\(name)", O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Failure(text: "\(name): \(String(cString: strerror(errno)))") }
        logger.info("Recording begins", metadata: ["tape": "\(name)"])
        return Tape(descriptor: descriptor, writer: writer, began: .now, size: 0)
    }

    private func write(_ bytes: [UInt8]) throws(Failure) {
        guard let descriptor = tape?.descriptor else { return }
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Failure(text: String(cString: strerror(errno))) }
            written += count
        }
        tape?.size += bytes.count
    }

    private func stopAfterFailure(_ reason: String) {
        if let tape {
            // Half an answer would make the tape look damaged.
            ftruncate(tape.descriptor, tape.size)
            close(tape.descriptor)
        }
        tape = nil
        notBefore = .now + Self.pauseAfterFailure
        guard problems.hasChanged(reason, for: "tape") else { return }
        logger.warning("The tape cannot be written; polling goes on", metadata: ["reason": "\(reason)"])
    }
}
