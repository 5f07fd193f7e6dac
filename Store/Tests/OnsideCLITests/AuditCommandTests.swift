import Foundation
import OnsideAPI
import StoreTestSupport
import Testing

/// `onside audit`, and the rows of the commands that change the store.
@Suite(.timeLimit(.minutes(5))) struct AuditCommandTests {
  private struct Row: Decodable, Equatable {
    var `operator`: String
    var via: String
    var act: String
    var subject: String?
    var arguments: [String: String]
    var outcome: String
    var error: String?
  }

  private let onside: Program

  init() throws { onside = try Program() }

  private func audit(_ options: String...) async throws -> [Row] {
    let outcome = try await onside.run(["audit", "--json"] + options)
    #expect(outcome.status == 0, "\(outcome.errors)")
    return try JSONDecoder().decode([Row].self, from: Data(outcome.output.utf8))
  }

  @Test("MER-9: a refund has a row with its operator and amount; a rejected one has a row with its error")
  func refund() async throws {
    let shop = try await Shop(onside.folder)
    let (program, client) = try await onside.serve(shop)
    let id = OrderID(UUID())
    _ = try await client.order(id)
    let early = try await onside.run("refund", id.description.uppercased(), "--as", "Anna")
    #expect(early.status == 1)
    try await client.pay(id)
    let part = try await onside.run("order", "refund", id.description, "--amount", "0.49", "--as", "Bert")
    #expect(part.status == 0, "\(part.errors)")
    let rows = try await audit()
    #expect(rows.map(\.operator) == ["Bert", "Anna"] && rows.map(\.outcome) == ["done", "failed"])
    #expect(rows.allSatisfy { $0.act == "refund" && $0.subject == id.description && $0.via == "command" })
    #expect(rows.map(\.arguments) == [["amount": "0.49", "reason": "refund"], ["reason": "refund"]])
    let error = try #require(rows.last?.error)
    #expect(error.hasPrefix("expected an order that is paid and not refunded, but \(id): "))
    let table = try await onside.run("audit", "--operator", "Bert", "--since", "1h").output
    #expect(table.contains(/Bert +command +refund +[0-9a-f-]+ +amount=0\.49 reason=refund +done +-\n/), "\(table)")
    #expect(!table.contains("Anna"))
    await program.stopCleanly()
  }

  @Test("MER-9: commands that read have no row; no row has a password or a code")
  func secrets() async throws {
    _ = try await Shop(onside.folder)
    let none = try await onside.run("audit").output
    #expect(none == "There are no such acts.\n")
    for command in [["app", "list"], ["key", "list"], ["account", "show", Shop.account], ["doctor"]] {
      _ = try await onside.run(command)
    }
    let read = try await audit()
    #expect(read == [])
    let made = try await onside.run("credential", "add", Shop.app, "--as", "Anna")
    let password = try #require(made.output.split(whereSeparator: \.isWhitespace).last).description
    _ = try await onside.run(
      "offer-code", "create", "--app", Shop.app, "--product", "gold", "--offer", "spring", "--custom", "TULIP",
      "--limit", "5", "--as", "Anna")
    let rotated = try await onside.run("secret", "rotate", "--leaked", "--as", "Anna")
    #expect(rotated.status == 0, "\(rotated.errors)")
    let rows = try await audit()
    #expect(rows.map(\.act) == ["secret rotate", "offer-code create", "credential add"])
    #expect(rows.first?.arguments == ["leaked": "yes"] && rows[1].arguments["custom"] == "yes")
    let json = try await onside.run("audit", "--json").output
    #expect(!json.contains(password) && !json.contains("TULIP"))
  }

  @Test("MER-9: without --as the operator is the Unix user, of sudo its caller")
  func unixUser() async throws {
    _ = try await Shop(onside.folder)
    let add = ["app", "add", "io.example.a"]
    _ = try await onside.run(add, environment: ["SUDO_USER": "carla"])
    _ = try await onside.run(add, environment: ["SUDO_USER": ""])
    let names = try await audit("--act", "app").map(\.operator)
    #expect(names == [NSUserName(), "carla"])
  }

  @Test("Rejects a name that is over 100 characters or has a control character, and a malformed --since")
  func options() async throws {
    _ = try await Shop(onside.folder)
    for name in [String(repeating: "x", count: 101), "a\nb"] {
      let outcome = try await onside.run(["app", "add", "io.example.a", "--as=\(name)"])
      #expect(outcome.status == 64 && outcome.errors.contains("--as: expected 1 to 100 characters"), "\(name)")
    }
    let since = try await onside.run("audit", "--since", "soon")
    #expect(since.status == 1 && since.errors.contains("--since: expected a number and s, m, h, d or w"))
    let rows = try await audit()
    #expect(rows == [])
  }

  @Test("--dry-run of an import has no row, and the import has one")
  func dryRun() async throws {
    _ = try await Shop(onside.folder)
    let product =
      #"{"id": "gold", "kind": "CONSUMABLE", "referenceName": "", "localizations": [], "familyShareable": false,"#
      + #" "prices": {"NL": {"amount": 99, "currency": "EUR"}}}"#
    try onside.folder.write("catalogue.json", text: #"{"default_language": "nl", "products": [\#(product)]}"#)
    for options in [["--dry-run"], []] {
      let outcome = try await onside.run(
        ["import", "catalogue.json", "--app", Shop.app, "--as", "Anna"] + options)
      #expect(outcome.status == 0, "\(outcome.errors)")
      let acts = try await audit().map(\.act)
      #expect(acts == (options.isEmpty ? ["import"] : []))
    }
  }
}
