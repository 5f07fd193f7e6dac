import Foundation
import OnsideAPI
import OnsideVault
import Testing

/// What every event makes of a record in every state; each cell is walked.
@Suite("The vault's record, cell by cell", .timeLimit(.minutes(5)))
struct RecordTableTests {
  /// A state as it can be, the two kinds of sealed ones apart.
  enum Row: String, CaseIterable { case open, sealed, sealedChange, confirmed, replaced, destroyed }
  /// An event, right and wrong ones apart.
  enum Column: String, CaseIterable { case evaluate, seal, sealOther, confirm, confirmOther, replace, destroy, restore }

  /// The state afterwards, or the code of the refusal.
  static let table: [Row: [Column: String]] = [
    .open: [
      .evaluate: "open", .seal: "sealed", .sealOther: "sealed", .confirm: "vault_not_current",
      .confirmOther: "vault_not_current", .replace: "vault_not_current", .destroy: "destroyed", .restore: "open",
    ],
    .sealed: [
      .evaluate: "sealed", .seal: "sealed", .sealOther: "vault_not_current", .confirm: "confirmed",
      .confirmOther: "vault_tag_mismatch", .replace: "vault_not_current", .destroy: "destroyed", .restore: "sealed",
    ],
    .sealedChange: [
      .evaluate: "vault_not_current", .seal: "sealed", .sealOther: "vault_not_current", .confirm: "confirmed",
      .confirmOther: "vault_tag_mismatch", .replace: "vault_not_current", .destroy: "destroyed", .restore: "sealed",
    ],
    .confirmed: [
      .evaluate: "confirmed", .seal: "confirmed", .sealOther: "vault_not_current", .confirm: "confirmed",
      .confirmOther: "vault_tag_mismatch", .replace: "replaced", .destroy: "destroyed", .restore: "confirmed",
    ],
    .replaced: [
      .evaluate: "vault_replaced", .seal: "vault_replaced", .sealOther: "vault_replaced",
      .confirm: "vault_replaced", .confirmOther: "vault_replaced", .replace: "vault_not_current",
      .destroy: "replaced", .restore: "replaced",
    ],
    .destroyed: [
      .evaluate: "vault_destroyed", .seal: "vault_destroyed", .sealOther: "vault_destroyed",
      .confirm: "vault_destroyed", .confirmOther: "vault_destroyed", .replace: "destroyed",
      .destroy: "destroyed", .restore: "destroyed",
    ],
  ]

  @Test("WAL-6 Every event in every state does what the table says", arguments: Row.allCases, Column.allCases)
  func cell(row: Row, column: Column) throws {
    let expected = try #require(Self.table[row]?[column])
    var record = try Self.record(in: row)
    let before = record
    let outcome: String
    do {
      let effect = try record.handle(Self.event(column), at: Sample.now)
      if case .evaluate(let key) = effect { #expect(column == .evaluate && key == before.key) }
      outcome = record.state.rawValue
    } catch {
      outcome = error.code.rawValue
      #expect(record == before, "a refusal changes nothing")
    }
    #expect(outcome == expected)
    #expect((record.key == nil) == (record.state == .replaced || record.state == .destroyed))
    #expect(record.tries >= before.tries || column == .confirm)
  }

  private static func event(_ column: Column) -> VaultEvent {
    switch column {
    case .evaluate: .evaluate
    case .seal: .seal(tagHash: Sample.tagHash)
    case .sealOther: .seal(tagHash: Array(repeating: 9, count: 32))
    case .confirm: .confirm(tag: Sample.tag)
    case .confirmOther: .confirm(tag: Array(repeating: 9, count: 32))
    case .replace: .replace
    case .destroy: .destroy
    case .restore: .restore
    }
  }

  private static func record(in row: Row) throws -> VaultRecord {
    switch row {
    case .open: try Sample.open()
    case .sealed: try Sample.sealed()
    case .sealedChange: try Sample.sealed(replacing: Sample.confirmed())
    case .confirmed: try Sample.confirmed()
    case .replaced: try Sample.after(.replace)
    case .destroyed: try Sample.after(.destroy)
    }
  }
}
