import SightscreenModels

/// The provider's dates: `2026-10-09T13:00:00.000000Z`, also with a blank for the T, without a fraction or without the
/// Z. They are always UTC.
public enum ProviderTime {
    /// Seconds since 1970, with the fraction cut off; nil for text that is no date.
    public static func seconds(_ text: String) -> Int? {
        var text = text
        return text.withUTF8 { seconds($0) }
    }

    static func seconds(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        guard bytes.count >= 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            let year = number(bytes, 0, 4), let month = number(bytes, 5, 2), let day = number(bytes, 8, 2),
            year >= 1970, let midnight = UTCDay(year: year, month: month, day: day)?.startsAt
        else { return nil }
        if bytes.count == 10 { return midnight }
        guard bytes.count >= 19, bytes[10] == UInt8(ascii: "T") || bytes[10] == UInt8(ascii: " "),
            bytes[13] == UInt8(ascii: ":"), bytes[16] == UInt8(ascii: ":"), let hour = number(bytes, 11, 2),
            let minute = number(bytes, 14, 2), let second = number(bytes, 17, 2), hour < 24, minute < 60, second < 61
        else { return nil }
        return midnight + hour * 3_600 + minute * 60 + second
    }

    /// The date in the provider's form.
    ///
    /// - Parameter seconds: seconds since 1970.
    public static func text(_ seconds: Int) -> String { UTCDay.time(at: seconds) + ".000000Z" }

    private static func number(_ bytes: UnsafeBufferPointer<UInt8>, _ start: Int, _ length: Int) -> Int? {
        var value = 0
        for byte in bytes[start..<start + length] {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            value = value * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return value
    }
}
