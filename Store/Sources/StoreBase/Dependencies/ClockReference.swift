import Foundation

/// A reading whose wall clock counted, as the database stores it for the next process.
package struct ClockReference: Sendable, Hashable {
  /// The setting of the last one.
  package static let name = "clock_reference"
  /// The setting of the last one that an operator has accepted.
  package static let acceptedName = "clock_accepted"

  /// The identifier of the machine's start.
  let boot: String
  package let time: MachineTime

  init(boot: String, time: MachineTime) { (self.boot, self.time) = (boot, time) }

  /// Reads the text of a setting; nil for another text.
  init?(_ text: String) {
    let parts = text.split(separator: " ")
    guard parts.count == 3, let sinceBoot = Int64(parts[1]), let wall = Int64(parts[2]) else { return nil }
    self.init(
      boot: String(parts[0]), time: MachineTime(wall: Date(millisecondsSince1970: wall), sinceBoot: sinceBoot))
  }

  var text: String { "\(boot) \(time.sinceBoot) \(time.wall.millisecondsSince1970)" }
}

extension ClockReference {
  static func read(_ name: String, in connection: any SQLConnection) throws -> ClockReference? {
    try StoreSettings(connection: connection).value(name).flatMap { ClockReference($0) }
  }

  package func write(_ name: String, in connection: any SQLConnection) throws {
    try StoreSettings(connection: connection).set(name, to: text)
  }
}
