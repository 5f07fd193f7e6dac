import Foundation

/// What the SDK's process tells the demonstration, a line each. Everything else on its output is for the user.
enum Report {
  private static let mark = "::"

  /// A step that went as promised.
  static func step(_ title: String, proof: String) { write(["step", title, proof]) }

  /// Asks the user to take up a second device.
  static func askForSecondDevice() { write(["device", "second"]) }

  /// Asks the operator for a refund.
  static func askForRefund(of order: String) { write(["refund", order]) }

  /// The parts of a line that a session wrote, if it is one of these.
  static func parse(_ line: String) -> [String]? {
    guard line.hasPrefix(mark) else { return nil }
    return line.dropFirst(mark.count).split(separator: "\t").map(String.init)
  }

  private static func write(_ parts: [String]) {
    let line = mark + parts.map { $0.replacing("\t", with: " ").replacing("\n", with: " ") }.joined(separator: "\t")
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }
}
