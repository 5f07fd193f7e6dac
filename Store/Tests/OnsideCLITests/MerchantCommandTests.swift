import Foundation
import StoreTestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct MerchantCommandTests {
  private static let app = "io.example.lumen"

  private let onside: Program

  init() throws { onside = try Program() }

  /// The value of a line such as `key id       0011`.
  private func value(_ name: String, in output: String) -> String? {
    output.split(separator: "\n").first { $0.hasPrefix(name) }?.dropFirst(name.count)
      .trimmingCharacters(in: .whitespaces)
  }

  @Test("MER-1: a secret is printed once, when it is made; a rotation keeps the merchant id")
  func secrets() async throws {
    let registered = try await onside.run("app", "add", Self.app)
    try #require(registered.status == 0, "\(registered.errors)")
    let first = try await onside.run("merchant", "add", "--app", Self.app)
    let merchant = try #require(value("merchant id", in: first.output), "\(first)")
    let secrets = [try #require(value("secret", in: first.output))]
    let second = try await onside.run("merchant", "rotate", "--app", Self.app)
    #expect(value("merchant id", in: second.output) == merchant && second.output.contains("is valid until"))
    let ids = [first, second].compactMap { value("key id", in: $0.output) }
    let listed = try await onside.run("merchant", "list").output
    #expect(ids.count == 2 && ids.allSatisfy { listed.contains($0) } && listed.contains(merchant))
    for secret in secrets + [try #require(value("secret", in: second.output))] {
      #expect(secret.utf8.count == 43 && !listed.contains(secret))
    }
    let again = try await onside.run("merchant", "add", "--app", Self.app)
    #expect(again.status == 1 && again.errors.contains("onside merchant rotate"))
    let third = try await onside.run("merchant", "rotate", "--app", Self.app, "--now")
    #expect(third.output.contains("has ended"))
    let left = try await onside.run("merchant", "list").output
    #expect(ids.allSatisfy { !left.contains($0) } && left.contains(merchant))
    let removed = try await onside.run("merchant", "remove", "--app", Self.app)
    #expect(removed.status == 0)
    let rest = try await onside.run("merchant", "list").output
    #expect(rest == "No app has a merchant id. Make one: onside merchant add --app APP\n")
    for command in ["rotate", "remove"] {
      let rejected = try await onside.run("merchant", command, "--app", Self.app)
      #expect(rejected.status == 1 && rejected.errors.contains("onside merchant list"), "\(command)")
    }
  }
}
