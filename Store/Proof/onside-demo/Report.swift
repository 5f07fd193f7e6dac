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

  /// A step that went as promised in the app, and is to be proved from outside, too.
  static func prove(_ title: String, proof: String) { write(["prove", title, proof]) }

  /// Asks for what the app cannot do: a move of the clock, or what its user does in a browser.
  static func ask(_ wish: String, _ argument: String = "-") { write(["ask", wish, argument]) }

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
