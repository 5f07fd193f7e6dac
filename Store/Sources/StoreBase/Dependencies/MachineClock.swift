import CMachineClock
package import Foundation

/// A reading of a machine's clocks.
package struct MachineTime: Sendable, Hashable {
  /// The wall clock, which a person or a program may set.
  package var wall: Date
  /// The time since the machine was started, in milliseconds. It never jumps.
  var sinceBoot: Int64
}

/// The clocks of a machine.
struct MachineClock: Sendable {
  /// The identifier of the machine's start; nil where the system has none.
  var boot: String?
  var read: @Sendable () -> MachineTime
  /// Whether the kernel reports that the wall clock is synchronised (NTP).
  var isSynchronised: @Sendable () -> Bool

  /// The clocks of this machine.
  static let live = MachineClock(
    boot: (try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8))
      .map { $0.trimmingCharacters(in: .whitespacesAndNewlines) },
    read: { MachineTime(wall: Date(), sinceBoot: machine_clock_since_boot()) },
    isSynchronised: { machine_clock_is_synchronised() == 1 })
}
