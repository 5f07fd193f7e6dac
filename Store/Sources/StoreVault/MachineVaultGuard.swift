import Logging
package import StoreBase
import Synchronization

/// This machine's guard of a vault whose database several machines share.
///
/// Each machine has a guard file with a mark of its own, and the database has a row for each mark. A change of the
/// vault raises the generation of the machine's row in the same commit, and the file afterwards. So the row is never
/// behind the file, unless the database has lost a commit whose request was answered: it was restored from a backup, or
/// a standby without that commit became the primary. A file also notes the newest generation of all machines, so that a
/// machine notices lost commits of another one that does not come back.
///
/// A machine without a file proves nothing, and a restored database may be given to new machines. Its guard is
/// therefore confirmed only by a running machine whose own file agrees with the database.
package final class MachineVaultGuard: VaultGuarding {
  /// What a guard file proves of the database.
  private enum Comparison {
    /// The database has every change that the file knows of.
    case agrees
    /// The guard has no row yet: it gets a new mark.
    case isNew
    /// The file proves nothing: another guard has found a loss since, and this one may have missed what was lost later;
    /// or it is a copy of the file that the database had before it was moved. Another machine has to confirm the guard.
    case isUnproven
    /// The database has lost changes, or no machine has confirmed the guard.
    case hasLost
  }

  /// What a write has made of the guard.
  private struct Settlement: Sendable {
    /// The content for the guard file once the write is committed.
    var generation: VaultGeneration
    /// What the file held before.
    var kept: VaultGeneration?
    /// How many records were treated as restored; nil when the database has lost nothing.
    var restored: Int?
  }

  /// How often a new guard looks whether it was confirmed.
  private static let lookPeriod = Duration.milliseconds(500)

  private let file: VaultGuardFile
  private let dependencies: BaseDependencies
  private let newGuardPatience: Duration
  /// What the file held last: a file that is removed while the store runs is made again.
  private let last = Mutex<VaultGeneration?>(nil)

  /// A guard with a file.
  ///
  /// - Parameter newGuardPatience: the wait of a machine without a file for a running machine's confirmation.
  init(_ file: VaultGuardFile, _ dependencies: BaseDependencies, newGuardPatience: Duration) {
    self.file = file
    self.newGuardPatience = newGuardPatience
    self.dependencies = dependencies
  }

  /// Refuses while another guard has superseded this one. A file that cannot be read is reported when the change is
  /// settled.
  package func requireProven(in connection: any SQLConnection) throws {
    guard let kept = (try? file.read()) ?? last.withLock(\.self),
      try VaultGuardRecords.row(kept.mark, in: connection)?.state == .superseded
    else { return }
    throw StorageError.guardFile("\(VaultGuardRefusal.unproven(path: file.path))")
  }

  package func takePart(in connection: any SQLConnection) throws -> @Sendable () throws -> Void {
    let settlement: Settlement
    do {
      settlement = try settle(in: StoreTransaction(connection, at: dependencies.clock.now()))
    } catch let error as VaultGuardUnreadable {
      // The other writes of the commit do not need the file.
      return { throw StorageError.guardFile("\(error.path): \(error.reason)") }
    } catch let error as VaultGuardRefusal {
      return { throw StorageError.guardFile("\(error)") }
    }
    return { [self] in
      try raiseFile(to: settlement)
      guard let count = settlement.restored else { return }
      logRestored(count)
      // The requests were decided before the records were treated as restored: none of them is answered.
      throw StorageError.unreachable("the database has lost commits, and wallets have one try each; try again")
    }
  }

  /// Compares the guard file with the database and brings the guard's row up to date, as part of a change of the vault.
  /// All writers wait for each other: what the file and the row say belongs together.
  private func settle(in transaction: StoreTransaction) throws -> Settlement {
    let kept = try file.read()
    return try settle(kept ?? last.withLock(\.self), from: kept, in: transaction)
  }

  /// - Parameter kept: what the guard file holds.
  private func settle(
    _ present: VaultGeneration?, from kept: VaultGeneration?, in transaction: StoreTransaction
  ) throws -> Settlement {
    var mark = present?.mark ?? ""
    var restored: Int?
    switch try present.map({ try compare($0, in: transaction) }) ?? .isNew {
    case .agrees: break
    case .isNew: mark = try newGuard(in: transaction)
    case .isUnproven: throw VaultGuardRefusal.unproven(path: file.path)
    case .hasLost:
      restored = try VaultRecords.restoreAll(in: transaction)
      try VaultGuardRecords.supersedeAll(in: transaction)
      // The numbers of lost changes are given out again: every device's sync starts over.
      try SyncEpoch.set(SyncEpoch.fresh(dependencies.random), at: transaction.storeNow, in: transaction)
      mark = try newGuard(in: transaction)
    }
    let newest = try VaultGenerationRecords.raise(in: transaction)
    try VaultGuardRecords.raise(mark, to: newest.number, in: transaction)
    let generation = VaultGeneration(mark: mark, number: newest.number, seen: newest.number, database: newest.mark)
    return Settlement(generation: generation, kept: kept, restored: restored)
  }

  /// Raises the guard file after the write was committed.
  private func raiseFile(to settlement: Settlement) throws {
    let held = try file.raise(to: settlement.generation, from: settlement.kept)
    last.withLock { $0 = held }
  }

  package func standing() async throws -> VaultStanding {
    // The file is read first: it is raised after the database.
    let kept = try file.read()
    return try await dependencies.database.read { connection in
      guard let kept else { return try VaultRecords.isEmpty(in: connection) ? .current : .restored }
      switch try self.compare(kept, in: connection) {
      case .agrees, .isNew: return .current
      case .isUnproven, .hasLost: return .restored
      }
    }
  }

  package func begin() async throws -> Int? {
    guard let kept = try file.read() else { return try await settleAnew(from: nil) }
    last.withLock { $0 = kept }
    return try await settle(from: kept)
  }

  /// Compares the guard file with the database, notes what other machines have changed, and confirms new guards.
  package func watch() async throws {
    guard let kept = try kept() else { return }
    let (comparison, newest, hasNewGuards) = try await dependencies.database.read { connection in
      (
        try self.compare(kept, in: connection), try VaultGenerationRecords.current(in: connection)?.number ?? 0,
        try VaultGuardRecords.hasGuard(.unconfirmed, in: connection)
      )
    }
    guard comparison == .agrees else {
      if let count = try await settle(from: kept) { logRestored(count) }
      return
    }
    if newest > kept.seen ?? 0 {
      let held = try file.note(
        VaultGeneration(mark: kept.mark, number: kept.number, seen: newest, database: kept.database))
      last.withLock { $0 = held }
    }
    if hasNewGuards { try await confirmNewGuards() }
  }

  private func logRestored(_ count: Int) {
    dependencies.logger.warning(
      "the database has lost commits: the vault's records have one try each", metadata: ["records": "\(count)"])
  }

  /// Returns how many records were treated as restored; nil when nothing was lost.
  private func settle(from kept: VaultGeneration) async throws -> Int? {
    do {
      let settlement = try await dependencies.database.write(at: dependencies.clock.now()) { try self.settle(in: $0) }
      try raiseFile(to: settlement)
      return settlement.restored
    } catch VaultGuardRefusal.unproven {
      return try await settleAnew(from: kept)
    }
  }

  /// Gets a new mark for a file that proves nothing, confirmed by another machine if there is one.
  private func settleAnew(from kept: VaultGeneration?) async throws -> Int? {
    while true {
      let candidate = try await requestConfirmation()
      do {
        let settlement = try await dependencies.database.write(at: dependencies.clock.now()) { transaction in
          let present = try self.file.read()
          // Another process of this machine may have been confirmed first.
          let isFirst = present == nil || present?.mark == kept?.mark
          return try self.settle(isFirst ? candidate : present, from: present, in: transaction)
        }
        try raiseFile(to: settlement)
        return settlement.restored
      } catch VaultGuardRefusal.unproven {
        // The machine that was asked has found a loss itself meanwhile.
        continue
      }
    }
  }

  private func confirmNewGuards() async throws {
    try await dependencies.database.write(at: dependencies.clock.now()) { transaction in
      guard let kept = try self.kept(), try self.compare(kept, in: transaction) == .agrees else { return }
      try VaultGuardRecords.confirmAll(in: transaction)
    }
  }

  /// Makes a new guard, and waits for another machine to confirm it. There may be none that runs.
  private func requestConfirmation() async throws -> VaultGeneration {
    let (database, clock) = (dependencies.database, dependencies.clock)
    let mark = dependencies.random.token()
    let mayBeConfirmed = try await database.write(at: clock.now()) { transaction in
      let mayBeConfirmed =
        try VaultGuardRecords.hasGuard(.confirmed, in: transaction) && !VaultRecords.isEmpty(in: transaction)
      try VaultGuardRecords.insert(mark, state: .unconfirmed, in: transaction)
      return mayBeConfirmed
    }
    var waited = Duration.zero
    while mayBeConfirmed, waited < newGuardPatience {
      try await clock.sleep(for: Self.lookPeriod)
      waited += Self.lookPeriod
      let state = try await database.read { try VaultGuardRecords.row(mark, in: $0)?.state }
      if state != .unconfirmed { break }
    }
    return VaultGeneration(mark: mark, number: 0, seen: 0)
  }

  private func kept() throws -> VaultGeneration? { try file.read() ?? last.withLock(\.self) }

  private func newGuard(in transaction: StoreTransaction) throws -> String {
    let mark = dependencies.random.token()
    try VaultGuardRecords.insert(mark, state: .confirmed, in: transaction)
    return mark
  }

  private func compare(_ kept: VaultGeneration, in connection: any SQLConnection) throws -> Comparison {
    let newest = try VaultGenerationRecords.current(in: connection)
    try file.requireOwn(kept, of: newest?.mark)
    let row = try VaultGuardRecords.row(kept.mark, in: connection)
    switch row?.state {
    case .confirmed where kept.number <= row?.generation ?? 0 && kept.seen ?? 0 <= newest?.number ?? 0: return .agrees
    // The file of the database when it was a file of SQLite.
    case nil where kept.seen == nil && kept.mark == newest?.mark && kept.number <= newest?.number ?? 0:
      return try VaultGuardRecords.areFirst(since: kept.number, in: connection) ? .isNew : .isUnproven
    case let state:
      if try VaultRecords.isEmpty(in: connection) { return .isNew }
      return state == .superseded ? .isUnproven : .hasLost
    }
  }
}
