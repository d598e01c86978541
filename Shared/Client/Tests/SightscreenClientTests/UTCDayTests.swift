import FoundationEssentials
import SightscreenModels
import Testing

@testable import SightscreenClient

@Suite struct UTCDayTests {
    @Test(arguments: [
        (0, "1970-01-01"), (-1, "1969-12-31"), (1_800_000_000, "2027-01-15"), (1_709_164_800, "2024-02-29"),
        (1_709_251_200, "2024-03-01"), (951_782_400, "2000-02-29"), (4_107_542_400, "2100-03-01"),
    ])
    func aMomentBelongsToADayOfUTC(_ seconds: Int, _ text: String) {
        #expect(UTCDay(at: seconds).description == text)
        #expect(UTCDay(text) == UTCDay(at: seconds))
    }

    @Test func everyDayOfAFewCenturiesIsWrittenAndRead() throws {
        var before = ""
        for number in -150_000...150_000 {
            let day = UTCDay(number: number)
            let text = day.description
            #expect(UTCDay(text) == day)
            #expect(text > before)
            before = text
        }
    }

    @Test func daysAreThoseOfTheCalendar() {
        #expect(UTCDay("0000-02-29") != nil && UTCDay("9999-12-31") != nil)
        let format = Date.ISO8601FormatStyle().year().month().day()
        // Before 1582, Foundation's calendar is another one.
        for day in stride(from: -140_000, to: 2_900_000, by: 997) {
            let date = Date(timeIntervalSince1970: Double(day) * 86_400)
            #expect(UTCDay(number: day).description == date.formatted(format))
        }
    }

    @Test(arguments: [
        "", "2026", "2026-11", "2026-11-31", "2026-02-29", "2026-13-01", "2026-00-10", "2026-1-1", "+026-01-01",
        "2026-11-22T00:00:00Z", "２０２６-11-22", "2026-11-22-", "0001-02-29", "1900-02-29", "2026-11-22 ", "20261122",
    ])
    func whatIsNoDayIsNotRead(_ text: String) { #expect(UTCDay(text) == nil) }

    @Test(arguments: [
        (0, "1970-01-01T00:00:00"), (-1, "1969-12-31T23:59:59"), (1_795_357_805, "2026-11-22T14:30:05"),
    ])
    func aMomentIsWrittenWithItsTime(_ seconds: Int, _ text: String) { #expect(UTCDay.time(at: seconds) == text) }

    @Test func aDateIsADay() {
        #expect(UTCDay(Date(timeIntervalSince1970: -0.5)).description == "1969-12-31")
        #expect(UTCDay(Date(timeIntervalSince1970: 86_399.9)) == UTCDay(number: 0))
        #expect(UTCDay(number: 3).date == Date(timeIntervalSince1970: 259_200))
    }

    /// A journey changes the local time, not the day of the schedule.
    @Test(arguments: [-12 * 3_600, -4 * 3_600, 0, 19_800, 14 * 3_600])
    func aDayDoesNotDependOnTheTimeZone(_ offset: Int) throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(secondsFromGMT: offset))
        // The dates are half past eleven in the evening there, and half past midnight: one evening's match.
        let parts = DateComponents(year: 2027, month: 1, day: 15, hour: 23, minute: 30)
        let evening = try #require(calendar.date(from: parts))
        for date in [evening, evening.addingTimeInterval(3_600)] {
            let seconds = Int(date.timeIntervalSince1970)
            #expect(UTCDay(date) == UTCDay(at: seconds))
            #expect(UTCDay(date).startsAt <= seconds && seconds < (UTCDay(date) + 1).startsAt)
        }
        #expect((UTCDay(evening) == UTCDay(evening.addingTimeInterval(3_600))) == (offset != 0))
    }

    @Test func theWindowIsAroundADay() {
        let day = UTCDay(number: 20_000)
        #expect(ScheduleWindow.around(day, radius: 3) == (day - 3)...(day + 3))
        #expect(ScheduleWindow.around(day, radius: -1) == day...day)
        #expect((day - 3).distance(to: day + 3) == 6)
    }
}
