import Foundation
import Glibc
import OnsideWallet

/// The person's terminal, whatever standard input and output are.
enum Terminal {
  /// Asks for a line that does not show while it is typed.
  static func secretLine(_ prompt: String) throws -> SecretLine {
    try withTerminal { terminal in
      try show(prompt, on: terminal)
      let line = try withoutEcho(terminal) { try SecretLine(readingFrom: terminal, orUpTo: controlC) }
      try show("\n", on: terminal)
      if line.withBytes({ $0.contains(controlC) }) { throw CommandFailure("stopped; nothing was done") }
      return line
    }
  }

  /// Asks for a line that shows.
  static func line(_ prompt: String) throws -> SecretLine {
    try withTerminal { terminal in
      try show(prompt, on: terminal)
      return try SecretLine(readingFrom: terminal)
    }
  }

  static func show(_ text: String) throws { try withTerminal { try show(text, on: $0) } }

  /// Shows bytes that are never text in memory.
  static func show(_ bytes: UnsafeRawBufferPointer) throws { try withTerminal { try write(bytes, to: $0) } }

  private static func show(_ text: String, on terminal: Int32) throws {
    try Array(text.utf8).withUnsafeBytes { try write($0, to: terminal) }
  }

  static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else {
        throw CommandFailure("expected to write to the terminal: \(String(cString: strerror(errno)))")
      }
      rest = rest.dropFirst(count)
    }
  }

  private static func withTerminal<Result>(_ body: (Int32) throws -> Result) throws -> Result {
    let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard terminal >= 0 else {
      throw CommandFailure("expected a terminal to ask for the PIN; without one, give --pin-fd NUMBER")
    }
    defer { close(terminal) }
    return try body(terminal)
  }

  /// A letter that ends the line while nothing shows, and not a signal: the terminal never stays as it is then.
  private static let controlC: UInt8 = 3

  private static func withoutEcho<Result>(_ terminal: Int32, _ body: () throws -> Result) throws -> Result {
    var before = termios()
    guard tcgetattr(terminal, &before) == 0 else {
      throw CommandFailure("expected a terminal that hides what is typed")
    }
    var silent = before
    silent.c_lflag &= ~tcflag_t(ECHO | ISIG)
    withUnsafeMutableBytes(of: &silent.c_cc) { $0[Int(VEOL)] = controlC }
    guard tcsetattr(terminal, TCSAFLUSH, &silent) == 0 else {
      throw CommandFailure("expected a terminal that hides what is typed")
    }
    defer { tcsetattr(terminal, TCSAFLUSH, &before) }
    return try body()
  }
}
