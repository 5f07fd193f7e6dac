import Foundation
import Glibc

/// One of PostgreSQL's programs.
struct PostgresProgram {
  /// A program fails; the text is its output.
  struct Failure: Error, CustomStringConvertible { let description: String }

  /// Where Debian has the programs of the server, and the search path of a shell.
  static let environment = [
    "PATH": "/usr/lib/postgresql/15/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8",
  ]

  /// What comes before a program to run it as a user that PostgreSQL accepts: it refuses root.
  static var user: [String] {
    getuid() == 0 ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] : []
  }

  private let name: String

  init(_ name: String) { self.name = name }

  /// Runs it to its end; a server that it starts uses the folder until its own end.
  func run(_ arguments: [String], holding place: ServerFolder? = nil) async throws {
    let folder = try TemporaryFolder()
    let output = folder.file("output")
    let id = try spawn(
      "/usr/bin/env", arguments: [name] + arguments, environment: Self.environment,
      files: [.null, .appending(output), .appending(output)] + (place.map { [.open($0.lock)] } ?? []))
    let status = try await onThread {
      var status: Int32 = 0
      while waitpid(id, &status, 0) == -1, errno == EINTR {}
      return status
    }
    guard status == 0 else { throw Failure(description: "\(name): wait status \(status), \(folder.text("output"))") }
  }
}
