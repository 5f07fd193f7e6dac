import Foundation
import StoreTestSupport
import Testing

/// `onside api-key`.
@Suite(.timeLimit(.minutes(5))) struct APIKeyCommandTests {
  private static let app = "io.example.lumen"
  private let onside: Program

  init() throws { onside = try Program() }

  private func run(_ arguments: String...) async throws -> Program.Outcome {
    try await onside.run(["api-key"] + arguments)
  }

  /// The id and the token that a command has printed.
  private func key(_ outcome: Program.Outcome) throws -> (id: String, token: String) {
    let match = try #require(
      outcome.output.wholeMatch(of: /id {3}([0-9a-f]{16})\nkey {2}(onsk_[0-9a-f]{16}_[A-Za-z0-9_-]{43})\n/),
      "\(outcome)")
    return (String(match.output.1), String(match.output.2))
  }

  @Test("MER-8: keys are added, listed without secrets, rotated and removed")
  func keys() async throws {
    let status = try await onside.run("app", "add", Self.app).status
    try #require(status == 0)
    let empty = try await run("list").output
    #expect(empty == "There is no API key. Make one: onside api-key add --app APP --scopes read\n")
    let added = try key(
      try await run("add", "--app", Self.app, "--scopes", "support,read", "--name", "our backend"))
    #expect(added.token.hasPrefix("onsk_\(added.id)_"))
    let list = try await run("list", "--app", Self.app).output
    for part in [added.id, Self.app, "read,support", "our backend", "LAST USE"] {
      #expect(list.contains(part), "\(part): \(list)")
    }
    #expect(!list.contains(added.token.suffix(43)))
    let rotated = try key(try await run("rotate", added.id))
    #expect(rotated.id == added.id && rotated.token != added.token)
    let removed = try await run("remove", added.id)
    #expect(removed.status == 0 && removed.output == "\(added.id) is removed.\n", "\(removed)")
    let after = try await run("list").output
    #expect(after == empty)
  }

  @Test("MER-8: mistakes are errors that change nothing")
  func mistakes() async throws {
    let status = try await onside.run("app", "add", Self.app).status
    try #require(status == 0)
    for arguments in [
      ["add", "--app", "io.example.none", "--scopes", "read"], ["add", "--app", Self.app],
      ["add", "--app", Self.app, "--scopes", "write"], ["add", "--app", Self.app, "--scopes", "read,"],
      ["add", "--app", Self.app, "--scopes", "read", "--name", String(repeating: "a", count: 101)],
      ["rotate", "0011223344556677"], ["remove", "0011223344556677"], ["list", "--app", "io.example.none"],
    ] {
      let outcome = try await onside.run(["api-key"] + arguments)
      #expect(outcome.status != 0 && outcome.output.isEmpty && !outcome.errors.isEmpty, "\(arguments) \(outcome)")
    }
    let list = try await run("list").output
    #expect(list.hasPrefix("There is no API key."))
  }
}
