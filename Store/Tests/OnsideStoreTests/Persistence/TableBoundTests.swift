import Foundation
import StoreTestSupport
import Testing

@testable import OnsideStore

/// The bounds of the tables, which docs/operating.md states (STO-16).
@Suite("Bounds of the tables", .timeLimit(.minutes(2)))
struct TableBoundTests {
  @Test("STO-16: docs/operating.md states a bound for every table of the schema, and for no other")
  func stated() async throws {
    let store = try await TestStore()
    let tables = Set(try await store.columns().keys).filter { !$0.hasPrefix("sqlite_") }
    let manual = try Repository.text("docs/operating.md")
    let section = try #require(
      manual.split(separator: "<!-- bounds: a test compares this table with the schema -->").last)
    var bounds: [String: String] = [:]
    for line in section.split(separator: "\n").prefix(while: { $0.hasPrefix("|") }).dropFirst(2) {
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      for name in cells[0].split(separator: ", ") { bounds[String(name.trimmingPrefix("`").dropLast())] = cells[1] }
    }
    #expect(Set(bounds.keys) == tables)
    #expect(bounds.values.allSatisfy { $0.count > 5 })
  }
}
