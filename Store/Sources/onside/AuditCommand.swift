import ArgumentParser
import Foundation
import OnsideStore
import StoreBase

/// The acts of operators: `onside audit`.
struct AuditCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "audit", abstract: "Lists the acts of operators, the newest first.",
    discussion: """
      Each command that changes the store has one row, with its operator (--as, else the Unix user). OUTCOME is done, \
      failed (nothing was changed) or incomplete (it failed after a part of its changes). Commands that only read have no \
      row.
      """)

  @OptionGroup var options: StoreOptions
  @Option(help: ArgumentHelp("Only acts of this time, such as 2h or 7d, or from this day on (UTC).", valueName: "time"))
  var since: String?
  @Option(help: ArgumentHelp("Only this act, such as refund, or \"subscription stop\".", valueName: "act"))
  var act: String?
  @Option(name: .customLong("operator"), help: ArgumentHelp("Only acts of this operator.", valueName: "name"))
  var operatorName: String?
  @Option(help: "How many, at most.") var limit = 50
  @Flag(help: "Print JSON.") var json = false

  func run() async throws {
    try await options.withStore { core in
      let filter = AuditFilter(
        limit: max(1, limit),
        since: try since.map { try PastTime.date("--since", $0, now: core.dependencies.clock.now()) }, act: act,
        operatorName: operatorName)
      let entries = try await core.dependencies.database.read { try AuditRecords.newest(filter, in: $0) }
      try json ? printJSON(entries) : printTable(entries)
    }
  }

  private func printTable(_ entries: [AuditEntry]) {
    var table = Table(["AT", "OPERATOR", "VIA", "ACT", "SUBJECT", "ARGUMENTS", "OUTCOME", "ERROR"])
    for entry in entries {
      let arguments = entry.act.arguments.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
      table.add([
        entry.date.ISO8601Format(), entry.act.operatorName, entry.act.access.rawValue, entry.act.name,
        entry.act.subject ?? "-", arguments.isEmpty ? "-" : arguments.joined(separator: " "), entry.outcome.rawValue,
        entry.error ?? "-",
      ])
    }
    table.show(orElse: "There are no such acts.")
  }

  private func printJSON(_ entries: [AuditEntry]) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    print(String(decoding: try encoder.encode(entries.map(AuditJSON.init)), as: UTF8.self))
  }
}

/// A row of the audit in JSON.
private struct AuditJSON: Encodable {
  private enum CodingKeys: String, CodingKey {
    case id, at, via, act, subject, arguments, outcome, error
    case operatorName = "operator"
  }

  private let id: String
  private let at: String
  private let via: String
  private let operatorName: String
  private let act: String
  private let subject: String?
  private let arguments: [String: String]
  private let outcome: String
  private let error: String?

  init(_ entry: AuditEntry) {
    (id, at, via) = (entry.id, entry.date.ISO8601Format(), entry.act.access.rawValue)
    (operatorName, act, subject) = (entry.act.operatorName, entry.act.name, entry.act.subject)
    (arguments, outcome, error) = (entry.act.arguments, entry.outcome.rawValue, entry.error)
  }
}
