import Foundation
import GRDB
import OnsideStore
import StoreAnalytics
import StoreTestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct FunnelCommandTests {
  private let onside: Program

  init() throws { onside = try Program() }

  /// A store with an app, and events of two installations.
  private func filled() async throws {
    let status = try await onside.run("app", "add", "io.example.lumen").status
    try #require(status == 0)
    let queue = try DatabaseQueue(path: onside.folder.file("onside.sqlite"))
    try await queue.write { database in
      for (number, name, installation, country) in [
        (0, "opened", "a", "NL"), (1, "paid", "a", "NL"), (2, "opened", "b", "DE"),
      ] {
        try database.execute(
          sql: """
            INSERT INTO events(app_id, id, installation_id, name, country, happened_at, received_at, source, parameters)
            VALUES ('io.example.lumen', ?, ?, ?, ?, ?, 0, 'sdk', '{}')
            """,
          arguments: ["\(number)", installation, name, country, 1_780_000_000_000 + number * 1000])
      }
    }
    try queue.close()
  }

  @Test("EVT-3: a funnel is printed as text, as JSON, and written as a page")
  func funnel() async throws {
    try await filled()
    let text = try await onside.run("funnel", "Opened", "paid", "--app", "io.example.lumen")
    #expect(
      text.output == """
        STEP    INSTALLATIONS  OF ALL
        opened  2              100.0 %
        paid    1              50.0 %

        COUNTRY  opened  paid
        DE       1       0
        NL       1       1

        WEEK      opened  paid
        2026-W22  2       1

        """)
    let json = try await onside.run("funnel", "opened", "paid", "--app", "io.example.lumen", "--json")
    let report = try JSONDecoder().decode(FunnelReport.self, from: Data(json.output.utf8))
    #expect(report.counts == [2, 1] && report.window == 604_800)
    let page = try await onside.run("funnel", "opened", "--app", "io.example.lumen", "--html", "funnel.html")
    #expect(page.status == 0 && onside.folder.text("funnel.html").contains("<svg"))
  }

  @Test("EVT-3: days narrow a funnel down, and a wrong value of an option is named")
  func narrowed() async throws {
    try await filled()
    let lumen = ["--app", "io.example.lumen"]
    let before = try await onside.run(["funnel", "opened", "--until", "2026-05-28"] + lumen)
    #expect(before.output.contains("opened  0"))
    let after = try await onside.run(["funnel", "opened", "--since", "2026-05-28"] + lumen)
    #expect(after.output.contains("opened  2"))
    for wrong in [
      ["--window", "soon"], ["--since", "May"], ["--until", "2026-13-01"], ["--html", "/no/such/folder/x"],
    ] {
      let outcome = try await onside.run(["funnel", "opened"] + wrong + lumen)
      #expect(outcome.status == 1 && outcome.errors.contains(wrong[0]), "\(wrong)")
    }
    let status = try await onside.run("funnel", "opened", "--app", "io.example.none").status
    #expect(status == 1)
  }

  @Test("MER-3: a credential is made, listed without its password, and removed")
  func credentials() async throws {
    try await filled()
    let made = try await onside.run("credential", "add", "io.example.lumen")
    let words = made.output.split(whereSeparator: \.isWhitespace).map(String.init)
    try #require(words.count == 4)
    #expect(words[1].wholeMatch(of: /[0-9a-f]{18}/) != nil)
    let list = try await onside.run("credential", "list")
    #expect(list.output.contains(words[1]) && !list.output.contains(words[3]))
    let status = try await onside.run("credential", "remove", words[1]).status
    #expect(status == 0)
    let secondStatus = try await onside.run("credential", "remove", words[1]).status
    #expect(secondStatus == 1)
    let thirdStatus = try await onside.run("credential", "add", "io.example.none").status
    #expect(thirdStatus == 1)
  }

  @Test("ATT-1: an app's install address is registered, shown, kept, and refused when it is none")
  func installAddress() async throws {
    _ = try await onside.run("app", "add", "io.example.lumen", "--install", "https://lumen.example/get")
    _ = try await onside.run("app", "add", "io.example.lumen", "--name", "Lumen")
    let output = try await onside.run("app", "show", "io.example.lumen").output
    #expect(output.contains("https://lumen.example/get"))
    for wrong in ["javascript:alert(1)", "http://lumen.example/get", "//lumen.example", "data:text/html,x"] {
      let status = try await onside.run("app", "add", "io.example.lumen", "--install", wrong).status
      #expect(status == 1, "\(wrong)")
    }
  }
}
