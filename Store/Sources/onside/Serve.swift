import ArgumentParser
import Foundation
import Logging
import OnsideStore
import StoreBase
import StoreVault
import StoreWeb

/// The command that runs the store until a signal stops it.
struct Serve: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Runs the store.",
    discussion: """
      Without any configuration it is a sandbox on http://127.0.0.1:8080 with its data in onside.sqlite in the current
      folder. Flags win over variables named ONSIDE_…, which win over the configuration file.
      docs/operating.md describes every key. A database of an earlier version is brought up to date; for a way back,
      make a copy with `onside backup` before.
      """)

  @OptionGroup var options: StoreOptions
  @Option(help: "The address to listen on.") var host: String?
  @Option(help: "The port to listen on; 0 takes a free one.") var port: String?
  @Option(help: ArgumentHelp("The address under which the world knows the store.", valueName: "url"))
  var publicUrl: String?
  @Flag(help: "Make a new store in a missing or empty database, although a guard file shows that there was a store.")
  var new = false
  @Flag(help: "Print the configuration in effect and stop.") var checkConfig = false

  func run() async throws {
    let configuration = try options.read(flags: flags)
    guard !checkConfig else {
      print(configuration.text, terminator: "")
      return try configuration.check()
    }
    try configuration.check()
    // A pipe that its reader has closed makes a write fail; it does not end the store.
    signal(SIGPIPE, SIG_IGN)
    let metrics = PrometheusMetrics()
    try PortFailure.checkFree(configuration.store)
    let clock = SteadyClock()
    let opening = DatabaseOpening(configuration.database, guardFile: configuration.vaultGuard)
    let database = new ? try await opening.openNew(now: clock.now()) : try opening.open(now: clock.now())
    try await clock.resume(from: database)
    let logger = ServeLog.logger(configuration, metrics: metrics)
    let schemaChange = database.schemaChange
    if let schemaChange {
      logger.notice(
        "the database's schema was brought forward",
        metadata: ["from": "\(schemaChange.from)", "to": "\(schemaChange.to)"])
    }
    try await ClockDifference.check(database, clock: SystemClock(), logger: logger)
    var store = configuration.store
    store.vault.guardPath = configuration.vaultGuard
    let core = try await StoreCore(
      StoreDependencies(clock: clock, database: database, logger: logger, configuration: store, metrics: metrics))
    let areChargesSuspended = try await core.areChargesSuspended()
    do {
      try await StoreApplication(core: core).run { address in
        StartText(
          core: core, configuration: configuration, address: address, schemaChange: schemaChange,
          areChargesSuspended: areChargesSuspended
        ).show()
      }
    } catch {
      throw PortFailure.explaining(error, host: configuration.store.host, port: configuration.store.port)
    }
  }

  private var flags: [String: String] {
    var flags: [String: String] = [:]
    flags["host"] = host
    flags["port"] = port
    flags["public_url"] = publicUrl
    return flags
  }
}
