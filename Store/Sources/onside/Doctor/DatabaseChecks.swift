import Foundation
import Logging
import OnsideStore
import StoreAccounts
import StoreBase
import StoreSales
import StoreVault

/// The database from the inside. A file that is not there was reported already.
struct DatabaseChecks {
  let configuration: ServeConfiguration

  func findings() async -> [Finding] {
    let path = configuration.database.path
    if let path, !FileManager.default.fileExists(atPath: path) { return [] }
    let clock = SteadyClock()
    do {
      if let path { try SQLiteDatabase.requireSound(path) }
      let database: any Database =
        try path.map {
          try SQLiteDatabase.open(
            at: $0, now: clock.now(), olderSchema: .refuse, makesTables: false, checkedSize: 0)
        }
        ?? configuration.database.open(now: clock.now(), olderSchema: .refuse, makesTables: false)
      try await clock.resume(from: database)
      let findings = await findings(database, clock: clock)
      await database.close()
      return findings
    } catch let error as DatabaseOpenError where error.isOlderVersion {
      return [
        .bad("database", "\(error)", remedy: "A schema goes forward only: make a copy with `onside backup FILE` first.")
      ]
    } catch {
      let remedy =
        path == nil
        ? "See that the server runs, takes this address, and has a database of that name."
        : "Stop the store before it is touched; keep a copy of the file as it is."
      return [.bad("database", "\(error)", remedy: remedy)]
    }
  }

  private func findings(_ database: any Database, clock: any StoreClock) async -> [Finding] {
    var findings: [Finding] = []
    findings += await engine(database)
    findings.append(await finding("ledger") { try await ledger(database) })
    do {
      var store = configuration.store
      store.vault.guardPath = configuration.vaultGuard
      let core = try await StoreCore(
        StoreDependencies(
          clock: clock, database: database, logger: Logger(label: "doctor") { _ in SwiftLogNoOpLogHandler() },
          configuration: store))
      findings += [keys(core), apps(core), prices(core), await finding("tax") { try await tax(core) }]
      findings += [await finding("clock") { try await self.clock(core) }]
      findings.append(await finding("vault") { try await vault(core) })
      findings.append(await finding("outbox") { try await outbox(core) })
      findings.append(await finding("charges") { try await charges(core) })
      findings.append(await finding("owed") { try await owed(core) })
      findings.append(await finding("disputes") { try await disputes(core) })
      findings.append(await finding("receipts") { try await receipts(core) })
      findings.append(await finding("numbers") { try await numbers(core) })
    } catch let mismatch as EnvironmentMismatch {
      findings.append(
        .bad("environment", "\(mismatch)", remedy: "Use the configuration with which the store serves this file."))
    } catch {
      findings.append(.bad("store", "\(error)", remedy: remedy(error)))
    }
    return findings
  }

  private func engine(_ database: any Database) async -> [Finding] {
    guard configuration.database.path == nil else {
      return [
        // A damaged file was not opened.
        .good("integrity", "every page and index of the database"),
        await finding("durability") { try await durability(database) },
      ]
    }
    do {
      return try await PostgresChecks(database: database, location: configuration.database).findings()
    } catch {
      return [.bad("server", "\(error)", remedy: "See that the server runs and takes this address.")]
    }
  }

  private func finding(_ subject: String, _ check: () async throws -> Finding) async -> Finding {
    do { return try await check() } catch { return .bad(subject, "\(error)", remedy: remedy(error)) }
  }

  private func remedy(_ error: any Error) -> String {
    switch error as? StorageError {
    case .busy, .full, .unavailable, .closed, .unreachable, .outcomeUnknown:
      "It could not be looked at, and may be right: mend that, and run this again."
    default: "Restore a backup if it says so again with the store stopped."
    }
  }

  private func durability(_ database: any Database) async throws -> Finding {
    let level = try await database.write { try $0.row("PRAGMA synchronous")?.integer("synchronous") }
    guard level == 2 else {
      return .bad(
        "durability", "synchronous is \(level ?? -1), expected 2 (FULL)",
        remedy: "An acknowledged order could be lost when the power fails: use a program built from this source.")
    }
    return .good("durability", "every commit is flushed (synchronous = FULL)")
  }

  private func ledger(_ database: any Database) async throws -> Finding {
    let faults = try await reconciled(database)
    guard faults.isEmpty else {
      return .bad(
        "ledger", faults.map(\.description).joined(separator: "; "),
        remedy: "Keep a copy of the file and look at these orders (onside order show) before more is sold.")
    }
    return .good("ledger", "the books agree with orders and payments")
  }

  /// All books are read, which takes longer with each order: on a server with a connection of its own, whose reads may
  /// take as long as they need.
  private func reconciled(_ database: any Database) async throws -> [Reconciliation.Fault] {
    guard database.isOnServer else { return try await database.read { try Reconciliation($0).faults() } }
    let own = try configuration.database.open(
      now: SystemClock().now(), olderSchema: .refuse, makesTables: false, longReads: true)
    let result: Result<[Reconciliation.Fault], any Error>
    do { result = .success(try await own.read { try Reconciliation($0).faults() }) } catch { result = .failure(error) }
    await own.close()
    return try result.get()
  }

  private func keys(_ core: StoreCore) -> Finding {
    guard let active = core.signingKeys.all.first(where: { $0.state == .active }) else {
      return .bad(
        "keys", "no key signs receipts", remedy: "Restore a backup: the store makes its keys at its first start.")
    }
    return .good("keys", "\(active.id) signs since \(active.createdAt.ISO8601Format())")
  }

  private func apps(_ core: StoreCore) -> Finding {
    let count = core.apps.all.count
    return .good("apps", count == 0 ? "none yet; onside import FILE.storekit --app ID" : "\(count) registered")
  }

  private func prices(_ core: StoreCore) -> Finding {
    let problems = core.apps.all.flatMap { app in
      core.unchargeablePrices(of: core.catalogue.catalogue(of: app.id)).map { "\(app.id): \($0)" }
    }
    guard !problems.isEmpty else {
      return .good("prices", "none is below the minimum charge or between the steps of the payment provider")
    }
    return .bad(
      "prices", "\(problems.count) may not be chargeable: \(problems.prefix(5).joined(separator: "; "))",
      remedy: "onside import the catalogue with prices that the payment provider charges.")
  }

  private func tax(_ core: StoreCore) async throws -> Finding {
    let countries = Set(try await core.tax.rates().map(\.country)).count
    return .good(
      "tax",
      countries == 0 ? "no rates: sales are booked without tax; onside tax import" : "rates of \(countries) countries")
  }

  private func vault(_ core: StoreCore) async throws -> Finding {
    let isCurrent: Bool
    do { isCurrent = try await core.isVaultCurrent() } catch {
      return .bad("vault", "\(error)", remedy: "Until then the store does not start: it cannot tell a backup.")
    }
    guard isCurrent else {
      return .bad(
        "vault", "the database is older than \(configuration.vaultGuard) says, or that file is missing",
        remedy: """
          Put the file back if it was moved. If the database is a backup, start the store: every wallet then has one \
          try and enrols anew by itself.
          """)
    }
    return .good("vault", "as new as \(configuration.vaultGuard) says")
  }

  private func outbox(_ core: StoreCore) async throws -> Finding {
    let standing = try await core.outboxStatus()
    guard standing.failingForADay.isEmpty else {
      let kinds = standing.failingForADay.sorted { $0.key < $1.key }.map { "\($0.key) (\($0.value))" }
      return .bad(
        "outbox", "deliveries that have failed for a day: \(kinds.joined(separator: ", "))",
        remedy:
          "onside outbox list shows the errors. The store tries them again; onside outbox retry --all does so now.")
    }
    guard standing.unknownKinds.isEmpty else {
      return .bad(
        "outbox", "this program cannot deliver \(standing.unknownKinds.joined(separator: ", "))",
        remedy: "Another version of the store has written them: use that one, or a newer one.")
    }
    return .good("outbox", "deliveries that wait: \(standing.waiting), of them failing: \(standing.failing)")
  }

  private func charges(_ core: StoreCore) async throws -> Finding {
    guard try await core.areChargesSuspended() else { return .good("charges", "not suspended") }
    return .bad(
      "charges", "suspended: \(ResumeCharges.reason)",
      remedy: """
        Renewals, refunds, receipts and subscription messages wait; purchases and login codes do not. If no other \
        database of this store is in use, run onside resume-charges.
        """)
  }

  private func owed(_ core: StoreCore) async throws -> Finding {
    let owed = try await core.refunds.owed()
    guard !owed.isEmpty else { return .good("owed", "no failed refund") }
    let sums = owed.sums.map { "\($0)" }.joined(separator: ", ")
    return .bad(
      "owed", "failed refunds are owed: \(owed.count), \(sums) in all",
      remedy: "onside owed lists them; onside owed repeat REFUND or close REFUND.")
  }

  private func disputes(_ core: StoreCore) async throws -> Finding {
    let now = core.dependencies.clock.now()
    let due = try await core.dependencies.database.read { try Dispute.due(at: now, in: $0) }
    guard let first = due.first?.answerBy else { return .good("disputes", "no evidence due within a week") }
    return .bad(
      "disputes", "evidence due within a week: \(due.count), the first by \(first.ISO8601Format())",
      remedy: "onside dispute list --state open shows them; send evidence at the payment provider.")
  }

  /// Older failures do not count: an address may be out of use for good.
  private func receipts(_ core: StoreCore) async throws -> Finding {
    let week = core.dependencies.clock.now() - 7 * 86_400
    let undelivered = try await core.receipts.undelivered(since: week)
    guard let newest = undelivered.last else { return .good("receipts", "no mail failed within a week") }
    return .bad(
      "receipts", "mails that failed within a week: \(undelivered.count), the last: \(newest.reason)",
      remedy: "onside receipt list shows them; onside receipt send --undelivered mails them again.")
  }

  private func numbers(_ core: StoreCore) async throws -> Finding {
    let shared = try await core.sharedNumbers()
    guard let first = shared.first else { return .good("numbers", "each phone number opens one account") }
    let accounts = first.accounts.joined(separator: ", ")
    return .bad(
      "numbers", "phone numbers that open several accounts: \(shared.count), the first: \(first.number) \(accounts)",
      remedy: "Logins with them ask for the account. Have the buyers remove the number from the other one.")
  }

  private func clock(_ core: StoreCore) async throws -> Finding {
    let difference = try await core.dependencies.database.clockDifference(of: SystemClock())
    if let difference, difference.seconds.magnitude > ClockDifference.warningThreshold {
      return .bad(
        "clock", "this machine's is \(difference.relation(to: "the database server's"))",
        remedy: """
          Synchronise the clocks of both machines (NTP). A store whose clock differs by more than \
          \(Int(ClockDifference.refusalThreshold)) s does not start.
          """)
    }
    if let jump = core.dependencies.clock.steady?.jump {
      return .bad(
        "clock",
        "this machine's has jumped, and is \(ClockDifference(seconds: jump)); the store goes on with its own time",
        remedy: "Synchronise the clock (NTP), or set it right; onside clock accept lets it count as it is.")
    }
    let now = core.dependencies.clock.now()
    let newest = try await core.dependencies.database.read { try OrderListing.newest(1, in: $0).first?.createdAt }
    // The orders of a tester who was moved ahead are of the tester's time.
    let latest = try await AccountClock.latest(core.dependencies.base)
    if let newest, newest > latest.addingTimeInterval(60) {
      return .bad(
        "clock", "it shows \(now.ISO8601Format()), but the newest order is of \(newest.ISO8601Format())",
        remedy: "Set this machine's clock, and keep it right with NTP.")
    }
    let offset = core.dependencies.clock.offsetMilliseconds
    return .good("clock", now.ISO8601Format() + (offset == 0 ? "" : ", ahead of this machine's (sandbox)"))
  }
}
