import Foundation
import PostgresClient

/// One of PostgreSQL's own client programs. Where the database is, and the password, are in its variables.
struct PostgresTool {
  private let name: String

  init(_ name: String) { self.name = name }

  /// Runs it to its end.
  func run(_ arguments: [String], at address: PostgresAddress? = nil) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [name] + arguments
    process.environment = ProcessInfo.processInfo.environment
      .filter { !$0.key.hasPrefix("ONSIDE_") }
      .merging(address?.environment ?? [:]) { $1 }
    let errors = Pipe()
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = errors
    try process.run()
    let text = String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationReason == .exit, process.terminationStatus == 0 else {
      throw PostgresToolError(tool: name, status: process.terminationStatus, errors: text)
    }
  }
}

/// A program of PostgreSQL that is missing or has failed.
public struct PostgresToolError: Error, Sendable, Equatable, CustomStringConvertible {
  /// What `env` answers for a program that is not there.
  private static let missing: Int32 = 127

  /// The program's name.
  public let tool: String
  /// Its exit status, or the signal that ended it.
  public let status: Int32
  /// What it has written to standard error.
  public let errors: String

  /// What is wrong and what to do.
  public var description: String {
    guard status != Self.missing else {
      return "expected PostgreSQL's program \(tool) to be installed. Install the package postgresql-client."
    }
    return "\(tool) failed (\(status)): \(errors.trimmingCharacters(in: .whitespacesAndNewlines))"
  }
}
