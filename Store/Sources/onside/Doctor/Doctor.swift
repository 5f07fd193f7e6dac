import ArgumentParser
import Foundation
import OnsideStore
import StoreBase

/// Looks at everything a store needs and says what to do about what is wrong.
struct Doctor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Checks configuration, database, keys, clock, disk, senders and providers.",
    discussion: "Exit status 1 when something is wrong. The store may be serving meanwhile.")

  @OptionGroup var options: StoreOptions

  @Flag(
    help: "Run once after a backup was put in place by other means: devices read their purchases anew (as by restore).")
  var afterRestore = false

  func run() async throws {
    var findings: [Finding] = []
    do {
      let configuration = try options.read()
      if afterRestore { findings.append(renewCursors(configuration)) }
      try configuration.check()
      findings.append(.good("configuration", options.configuration ?? "flags, environment and defaults"))
      if let path = configuration.database.path { findings += FileChecks(path: path).findings() }
      findings += await DatabaseChecks(configuration: configuration).findings()
      findings += await SenderChecks(configuration: configuration).findings()
      findings += await ProviderChecks(configuration: configuration).findings()
      findings += await PaymentChecks(configuration: configuration).findings()
    } catch {
      if afterRestore, findings.isEmpty { findings.append(.notRenewed("the configuration does not say where")) }
      findings.append(.bad("configuration", "\(error)", remedy: "Correct it; --check-config shows what is in effect."))
    }
    findings.forEach { $0.show() }
    if findings.contains(where: \.isBad) { throw ExitCode.failure }
  }

  /// First of all, and whatever else is wrong: a store that is started without it lets devices miss purchases.
  private func renewCursors(_ configuration: ServeConfiguration) -> Finding {
    do {
      try options.existingDatabase(configuration).renewCursors(at: SystemClock().now())
      return .good("cursors", "renewed: the next sync of every device starts over")
    } catch {
      return .notRenewed("\(error)")
    }
  }
}

/// What one check found.
struct Finding {
  let isBad: Bool
  private let subject: String
  private let text: String
  private let remedy: String?

  static func good(_ subject: String, _ text: String) -> Finding {
    Finding(isBad: false, subject: subject, text: text, remedy: nil)
  }

  static func bad(_ subject: String, _ text: String, remedy: String) -> Finding {
    Finding(isBad: true, subject: subject, text: text, remedy: remedy)
  }

  static func notRenewed(_ reason: String) -> Finding {
    .bad(
      "cursors", "not renewed: \(reason)",
      remedy: "Mend that and run this again before the store is started: devices would miss purchases.")
  }

  func show() {
    print("\(isBad ? "FAIL" : "ok  ")  \(subject): \(text)")
    if let remedy { print("      \(remedy)") }
  }
}
