import Foundation
import Testing

@testable import OnsideStore

@Suite("Migration of stored phone numbers", .timeLimit(.minutes(5)))
struct NumberMigrationTests {
  private func login(_ number: String, _ account: String, at seconds: TimeInterval = 0) -> NumberMigration.Login {
    NumberMigration.Login(number: number, account: account, provedAt: Date(timeIntervalSince1970: seconds))
  }

  @Test("numbers with a trunk prefix change, and canonical ones stay")
  func changed() {
    let old = login("+4407911123456", "anna")
    let migration = NumberMigration(of: [old, login("+390612345678", "bea"), login("+31612345678", "carl")])
    #expect(migration.changed == [old: "+447911123456"])
    #expect(migration.duplicates.isEmpty)
    #expect(migration.shared.isEmpty)
  }

  @Test("of one account's spellings of a number the one proved last stays", arguments: [(1, 2), (2, 1)])
  func duplicates(timeOfOld: TimeInterval, timeOfNew: TimeInterval) {
    let old = login("+4407911123456", "anna", at: timeOfOld)
    let new = login("+447911123456", "anna", at: timeOfNew)
    let migration = NumberMigration(of: [old, new])
    #expect(migration.duplicates == [timeOfOld < timeOfNew ? old : new])
    #expect(migration.changed == (timeOfOld < timeOfNew ? [:] : [old: "+447911123456"]))
    #expect(migration.shared.isEmpty)
  }

  @Test("a number in the spellings of two accounts is shared, and no login is deleted")
  func shared() {
    let old = login("+4407911123456", "anna")
    let migration = NumberMigration(of: [login("+447911123456", "bea"), old])
    #expect(migration.shared == ["+447911123456": ["anna", "bea"]])
    #expect(migration.changed == [old: "+447911123456"])
    #expect(migration.duplicates.isEmpty)
  }

  @Test("a migrated store has nothing to migrate but the shared numbers")
  func repeated() {
    let migration = NumberMigration(of: [login("+447911123456", "anna"), login("+447911123456", "bea")])
    #expect(migration.changed.isEmpty)
    #expect(migration.duplicates.isEmpty)
    #expect(migration.shared == ["+447911123456": ["anna", "bea"]])
  }

  @Test(
    "the former spellings of a number have its trunk prefixes",
    arguments: [
      ("+447911123456", ["+4407911123456"]), ("+79161234567", ["+709161234567", "+789161234567"]),
      ("+36201234567", ["+360201234567", "+3606201234567"]), ("+390612345678", []),
      (
        "+525512345678",
        ["+5205512345678", "+5215512345678", "+52015512345678", "+520445512345678", "+520455512345678"]
      ),
    ])
  func formerSpellings(e164: String, spellings: [String]) throws {
    let number = try PhoneNumber(parsing: e164)
    #expect(number.formerSpellings == spellings)
  }
}
