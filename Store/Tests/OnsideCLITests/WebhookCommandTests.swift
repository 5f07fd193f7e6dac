import Foundation
import StoreTestSupport
import Testing

/// `onside webhook`.
@Suite(.timeLimit(.minutes(5))) struct WebhookCommandTests {
  private static let app = "io.example.lumen"
  private static let url = "https://shop.example/webhooks?token=t0ken"
  private let onside: Program

  init() throws { onside = try Program() }

  private func run(_ arguments: String...) async throws -> Program.Outcome {
    try await onside.run(["webhook"] + arguments)
  }

  /// The id and the secret that a command has printed.
  private func added(_ outcome: Program.Outcome) throws -> (id: String, secret: String) {
    let match = try #require(
      outcome.output.wholeMatch(of: /id {6}([0-9a-f]{16})\nsecret {2}(whsec_[A-Za-z0-9+\/]{43}=)\n/), "\(outcome)")
    return (String(match.output.1), String(match.output.2))
  }

  @Test("WHK-4: each command of an endpoint prints its result, the list has no secret, and each change an audit row")
  func endpoints() async throws {
    let status = try await onside.run("app", "add", Self.app).status
    try #require(status == 0)
    let empty = try await run("list").output
    #expect(empty == "There is no endpoint. Add one: onside webhook add --app APP URL\n")
    let made = try added(try await run("add", "--app", Self.app, Self.url, "--types", "order.paid,order.refunded"))
    let list = try await run("list", "--app", Self.app).output
    for part in [made.id, Self.app, Self.url, "order.paid,order.refunded", "ok"] {
      #expect(list.contains(part), "\(part): \(list)")
    }
    #expect(!list.contains(made.secret))
    let rotated = try await run("rotate", made.id).output
    #expect(rotated.hasPrefix("secret  whsec_") && !rotated.contains(made.secret))
    let disabled = try await run("disable", made.id).output
    #expect(disabled == "\(made.id) is disabled.\n")
    let states = try await run("list").output
    #expect(states.contains("DISABLED (operator) since "))
    let enabled = try await run("enable", made.id).output
    #expect(enabled == "\(made.id) is enabled. Failed deliveries that are sent again: 0\n")
    let attempts = try await run("attempts", made.id, "--failed").output
    #expect(attempts == "There are no such attempts.\n")
    let failed = try await run("resend", made.id, "--failed").output
    let since = try await run("resend", made.id, "--since", "2h").output
    #expect([failed, since] == Array(repeating: "Events that are sent again: 0\n", count: 2))
    let removed = try await run("remove", made.id).output
    #expect(removed == "\(made.id) is removed.\n")
    let audit = try await onside.run("audit").output
    for act in ["add", "rotate", "disable", "enable", "resend", "remove"] {
      #expect(audit.contains("webhook \(act)"), "\(act): \(audit)")
    }
    #expect(audit.contains("https://shop.example") && !audit.contains("/webhooks") && !audit.contains("t0ken"))
    #expect(!audit.contains("whsec_"))
  }

  @Test("WHK-4: a wrong argument and an unknown endpoint are errors, and no endpoint is added")
  func mistakes() async throws {
    let status = try await onside.run("app", "add", Self.app).status
    try #require(status == 0)
    let unknown = "0011223344556677"
    for arguments in [
      ["add", "--app", "io.example.none", Self.url], ["add", "--app", Self.app],
      ["add", "--app", Self.app, "ftp://shop.example/"], ["add", "--app", Self.app, "https://127.0.0.1/"],
      ["add", "--app", Self.app, Self.url, "--types", "order.eaten"], ["rotate", unknown], ["enable", unknown],
      ["disable", unknown], ["remove", unknown], ["attempts", unknown], ["resend", unknown, "--failed"],
      ["resend", unknown], ["resend", unknown, "--failed", "--since", "2h"], ["resend", unknown, "--since", "soon"],
      ["resend", unknown, "--event", "17"],
    ] {
      let outcome = try await onside.run(["webhook"] + arguments)
      #expect(outcome.status != 0 && outcome.output.isEmpty && !outcome.errors.isEmpty, "\(arguments) \(outcome)")
    }
    let list = try await run("list").output
    #expect(list.hasPrefix("There is no endpoint."))
    let audit = try await onside.run("audit").output
    #expect(audit.contains("ftp://shop.example") && !audit.contains("ftp://shop.example/"), "\(audit)")
  }
}
