public import Foundation
import OnsideCommerce
public import StoreBase

/// Exports the ledger to a file of plain-text accounting, from one snapshot of the database.
public struct LedgerExport: Sendable {
  private let start: Date?
  private let end: Date?
  /// How many rows are in memory at once.
  var pageSize = 5000

  /// An export of the rows from `start` until before `end`. With a start, the first transaction has the balances before
  /// it, so that a balance sheet at the end of the period is that of the ledger.
  public init(from start: Date? = nil, until end: Date? = nil) {
    self.start = start
    self.end = end
  }

  /// Writes the journal to a file, which is replaced once the journal is whole. Returns how many rows it has. Throws
  /// ``LedgerExportError``, ``FileError`` or what the database throws.
  @discardableResult
  public func write(_ database: any Database, to path: String) async throws -> Int {
    try await database.read { connection in
      // A read may run again: each run begins the file anew.
      try PartialFile.write(to: path) { file in try write(to: file, from: connection) }
    }
  }

  private func write(to file: PartialFile, from connection: any SQLConnection) throws -> Int {
    var journal = LedgerJournal()
    let opening = try start.map { try Ledger.balances(before: $0, in: connection) } ?? []
    let names = try Ledger.names(from: start, until: end, in: connection)
    let accounts = Set(opening.map(\.account)).union(try names.accounts.map { try LedgerAccount($0) })
    let currencies = Set(opening.map(\.amount.currency)).union(names.currencies)
    journal.declare(
      currencies.sorted { $0.code < $1.code }, accounts: accounts.sorted { $0.path < $1.path }, period: period)
    if let start { try journal.open(opening, at: start) }
    var (count, position) = (0, Ledger.Position(at: start))
    while true {
      let page = try Ledger.entries(after: position, before: end, limit: pageSize, in: connection)
      for entry in page { try journal.add(entry) }
      try file.append(journal.take())
      count += page.count
      guard page.count == pageSize, let last = page.last else { return count }
      position = Ledger.Position(last)
    }
  }

  private var period: String {
    let (first, last) = (start?.ISO8601Format() ?? "its beginning", end?.ISO8601Format() ?? "now")
    return "from \(first) until before \(last)"
  }
}
