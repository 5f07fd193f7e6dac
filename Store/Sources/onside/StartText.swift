import Foundation
import Logging
import OnsideStore
import StoreAccounts
import StoreBase

/// What `onside serve` says once it listens.
struct StartText {
  let core: StoreCore
  let configuration: ServeConfiguration
  let address: URL
  let schemaChange: SchemaChange?
  let areChargesSuspended: Bool

  /// Writes it to standard output; where that takes nothing, the address goes to the log.
  func show() {
    do { try LineOutput.standardOutput.write(text) } catch {
      core.dependencies.logger.warning(
        "the store is open; standard output cannot be written", metadata: ["address": "\(address.absoluteString)"])
    }
  }

  private var text: String {
    let facts = [
      ("environment", configuration.store.environment.rawValue),
      ("database", database), ("apps", apps), ("login codes", codes),
    ]
    let lines = (facts + charges + schema).map { "  " + $0.padding(toLength: 13, withPad: " ", startingAt: 0) + $1 }
    return """
      The store is open: \(address.absoluteString)
      \(lines.joined(separator: "\n"))
      Press Control-C to stop.

      """
  }

  private var database: String {
    configuration.database.path.map { URL(filePath: $0).path() } ?? "\(configuration.database)"
  }

  private var charges: [(String, String)] {
    guard areChargesSuspended else { return [] }
    return [("charges", "suspended: \(ResumeCharges.reason); see onside doctor")]
  }

  private var schema: [(String, String)] {
    schemaChange.map { [("schema", "\($0.to), brought forward from \($0.from)")] } ?? []
  }

  private var apps: String {
    let names = core.apps.all.map(\.id)
    guard names.isEmpty else { return names.joined(separator: ", ") }
    return "none yet; add one from another terminal: onside import FILE.storekit --app io.example.app"
  }

  /// Where one-time codes go, by what they reach.
  private var codes: String {
    let (phones, mailboxes) = (configuration.store.messages.sender, configuration.store.mail.sender)
    let printed = (phones == .console ? ["phones"] : []) + (mailboxes == .console ? ["mailboxes"] : [])
    var ways = printed.isEmpty ? [] : ["to \(printed.joined(separator: " and ")): printed here, on standard output"]
    if ![.console, .none].contains(phones) { ways.append("to phones: \(phones.rawValue)") }
    if ![.console, .none].contains(mailboxes) { ways.append("to mailboxes: \(mailboxes.rawValue)") }
    return ways.isEmpty ? "none are sent: no sender is configured" : ways.joined(separator: "; ")
  }
}
