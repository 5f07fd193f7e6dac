import StoreAccounts
import StoreBase

extension ChangeHub {
  /// How many accounts one query asks about.
  private static let piece = 500

  /// Wakes the waiting polls that have read less than the database has, and those that have not said what they have
  /// read. What no process has told of is found so: the database is the truth, and polls of other accounts sleep on.
  func wakeOutdated(_ database: any Database) async throws {
    let waiting = waiting
    let accounts = Array(waiting.keys)
    for start in stride(from: 0, to: accounts.count, by: Self.piece) {
      let piece = Array(accounts[start..<min(start + Self.piece, accounts.count)])
      let newest = try await database.read { try AccountChangeRecords.cursors(of: piece, count: Self.piece, in: $0) }
      hear(piece.filter { account in waiting[account]?.contains { $0 == nil || $0 != newest[account] } ?? false })
    }
  }
}
