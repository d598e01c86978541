/// The days of the schedule that the orchestrator keeps, counted from today in UTC. A week back covers a Test that began
/// five days ago; the days ahead are a fortnight, the last of which the provider leaves out.
package enum ScheduleWindow {
    package static let days = -7...15
}
