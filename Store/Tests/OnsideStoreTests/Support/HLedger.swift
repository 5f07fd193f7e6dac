import Foundation
import OnsideCommerce
import StoreTestSupport
import Testing

/// Debian's hledger, which reads a journal independently of the store.
struct HLedger {
  /// The program, which `script/setup` installs.
  static let program = ChildServer.path("/usr/bin/hledger")

  let folder: TemporaryFolder
  let journal: String

  /// What it complains about; empty when the journal is sound. `strict` also refuses accounts and currencies that are
  /// not declared.
  func complaints() async throws -> String { try await run(["check", "--strict", "ordereddates"]) }

  /// The balance of each account in each currency, in minor units: `liabilities:apps:a EUR` is -450.
  func balances(_ query: String...) async throws -> [String: Int64] {
    try await amounts(["balance", "--flat", "--no-total"] + query)
  }

  /// The amounts of a report such as `balancesheet`, whose sections show what is owed or earned as positive.
  func report(_ name: String) async throws -> [String: Int64] {
    try await amounts([name, "--flat"]).filter { $0.key.contains(":") && !$0.key.hasPrefix("Net:") }
  }

  private func amounts(_ arguments: [String]) async throws -> [String: Int64] {
    let table = try await run(arguments + ["--output-format", "csv", "--layout=bare"])
    var amounts: [String: Int64] = [:]
    for line in table.split(separator: "\n") {
      let cells = line.split(separator: ",").map { $0.trimmingPrefix("\"").dropLast() }
      guard cells.count == 3, let currency = Currency(code: String(cells[1])) else { continue }
      let amount = try #require(Decimal(string: String(cells[2])))
      amounts["\(cells[0]) \(currency)"] = try Money(exactly: amount, currency: currency).minorUnits
    }
    return amounts
  }

  private func run(_ arguments: [String]) async throws -> String {
    let output = folder.file("hledger.\(UUID())")
    let child = try ChildServer(
      try #require(Self.program), arguments: ["--file", journal] + arguments, output: output)
    try await child.end()
    return try String(contentsOfFile: output, encoding: .utf8) + child.errors
  }
}

extension Trait where Self == ConditionTrait {
  /// Runs a test only where hledger is installed.
  static var withHLedger: Self { .enabled(if: HLedger.program != nil, "needs hledger: script/setup") }
}
