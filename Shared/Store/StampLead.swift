/// How far the stamps of a match may run ahead of the database's clock, compared in whole seconds.
package enum StampLead {
    /// The lead of a version or a repetition, in seconds. Two in quick succession fit; more must wait. An end takes one
    /// more than the newest stamp, so what a phone is sent is at most 2 s ahead.
    package static let max = 1
}
