import OnsideAPI
package import StoreBase

/// Stores each phone number in its canonical form, unless that is another account's: once for each database and version
/// of the numbering plans.
///
/// The numbers are read and parsed before the writes, which a large store would keep waiting.
package struct NumberCorrection: Sendable {
  /// The setting that names the version of the plans by which the numbers were corrected.
  private static let setting = "numbering_plans"
  private static let pieceSize = 200

  private struct Change: Sendable {
    let stored: String
    let canonical: String
    let account: String
  }

  package let database: any Database

  package init(database: any Database) {
    self.database = database
  }

  package func run() async throws {
    let version = NumberingPlans.version
    let corrected = try await database.read { try StoreSettings(connection: $0).value(Self.setting) }
    if corrected == version { return }
    let changes = try await changes()
    for start in stride(from: 0, to: changes.count, by: Self.pieceSize) {
      let piece = changes[start..<min(start + Self.pieceSize, changes.count)]
      try await database.write { connection in
        for change in piece {
          try AccountRecords.correctNumber(change.stored, to: change.canonical, of: change.account, in: connection)
        }
      }
    }
    try await database.write { try StoreSettings(connection: $0).set(Self.setting, to: version) }
  }

  private func changes() async throws -> [Change] {
    let numbers = try await database.read { try AccountRecords.storedNumbers(in: $0) }
    return numbers.compactMap { stored, account in
      let canonical = PhoneNumber.canonical(of: stored)
      return canonical == stored ? nil : Change(stored: stored, canonical: canonical, account: account)
    }
  }
}
