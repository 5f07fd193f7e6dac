import Foundation

/// The course of a store's time: the wall clock while that does not jump, else the time since the machine's start.
///
/// A jump is a difference of more than a minute between two readings. The wall clock counts again when the kernel
/// reports that it is synchronised, when it agrees with the course, or when it is accepted.
struct ClockCourse: Sendable, Hashable {
  /// The largest difference that is no jump, in seconds.
  static let tolerance: TimeInterval = 60

  /// The last reading whose wall clock counted.
  private(set) var reference: MachineTime
  /// By how many seconds the wall clock is ahead of the course, while it does not count; negative when it is behind.
  private(set) var jump: TimeInterval?

  init(_ reading: MachineTime) { reference = reading }

  /// The time of a reading.
  mutating func time(of reading: MachineTime, isSynchronised: () -> Bool) -> Date {
    let expected = reference.wall.addingTimeInterval(Double(reading.sinceBoot - reference.sinceBoot) / 1000)
    let difference = reading.wall.timeIntervalSince(expected)
    guard difference.magnitude > Self.tolerance, !isSynchronised() else {
      accept(reading)
      return reading.wall
    }
    jump = difference
    return expected
  }

  /// Lets the wall clock of a reading count.
  mutating func accept(_ reading: MachineTime) { (reference, jump) = (reading, nil) }

  /// Continues the course that a reading of the same start of the machine belongs to.
  mutating func resume(from earlier: MachineTime) { reference = earlier }
}
