import ArgumentParser
import OnsideStore

/// Ends the suspension of charges.
struct ResumeCharges: AsyncParsableCommand {
  /// Why charges are suspended.
  static let reason = "this database was restored, moved or copied"

  static let configuration = CommandConfiguration(
    commandName: "resume-charges",
    abstract: "Lets a database that was restored, moved or copied charge again.",
    discussion: """
      In such a database renewals, refunds, receipts and messages wait, because another database may charge the same
      subscriptions. Run this in one database only, after a check of it. What waits follows within a second.
      """)

  @OptionGroup var options: ChangeOptions

  func run() async throws {
    let waiting = try await options.withStore(CommandAct("resume-charges")) { try await $0.resumeCharges() }
    guard let waiting else { return print("Charges were not suspended.") }
    let kinds = waiting.sorted { $0.key < $1.key }.map { "\($0.key) (\($0.value))" }
    print("Charges go on. Deliveries that waited: \(kinds.isEmpty ? "none" : kinds.joined(separator: ", ")).")
  }
}

/// Suspends charges in a copy that is not recognized by itself.
struct SuspendCharges: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "suspend-charges",
    abstract: "Lets renewals, refunds and messages of this database wait.",
    discussion: """
      For a copy of a store's whole disk or server, before its first start: its renewals, refunds, receipts and messages
      wait until onside resume-charges.
      """)

  @OptionGroup var options: ChangeOptions

  func run() async throws {
    try await options.withStore(CommandAct("suspend-charges")) { try await $0.suspendCharges() }
    print("Charges are suspended in this database until onside resume-charges.")
  }
}
