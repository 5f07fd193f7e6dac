import Logging
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
final class MachineVaultGuard: VaultGuarding {
  /// What a guard file proves of the database.
  private enum Comparison {
    /// The database has every change that the file knows of.
    case agrees
    /// The guard has no row yet, or another guard has found the loss that its file shows: it gets a new mark.
    case isNew
    /// The database has lost changes, or no machine has confirmed the guard.
    case hasLost
  }

  /// What a write has made of the guard.
  private struct Settlement: Sendable {
    /// The content for the guard file once the write is committed.
    var generation: VaultGeneration
    /// How many records were treated as restored; nil when the database has lost nothing.
    var restored: Int?
  }

  /// How often a new guard looks whether it was confirmed.
  private static let lookPeriod = Duration.milliseconds(500)

  private let file: VaultGuardFile
  private let dependencies: StoreDependencies
  /// What the file held last: a file that is removed while the store runs is made again.
  private let last = Mutex<VaultGeneration?>(nil)

  /// A guard with a file.
  init(_ file: VaultGuardFile, _ dependencies: StoreDependencies) {
    self.file = file
    self.dependencies = dependencies
  }

  func takePart(in connection: any SQLConnection) throws -> @Sendable () throws -> Void {
    let settlement: Settlement
    do {
      settlement = try settle(in: StoreTransaction(connection, at: dependencies.clock.now()))
    } catch let error as VaultGuardUnreadable {
      // The other writes of the commit do not need the file.
      return { throw StorageError.guardFile("\(error.path): \(error.reason)") }
    }
    return { [self] in
      try keep(settlement.generation)
      guard let count = settlement.restored else { return }
      logRestored(count)
      // The requests were decided before the records were treated as restored: none of them is answered.
      throw StorageError.unreachable("the database has lost commits, and wallets have one try each; try again")
    }
  }

  /// Compares the guard file with the database and brings the guard's row up to date, as part of a change of the vault.
  /// All writers wait for each other: what the file and the row say belongs together.
  private func settle(in transaction: StoreTransaction) throws -> Settlement {
    let kept = try kept()
    var mark = kept?.mark ?? ""
    var restored: Int?
    switch try kept.map({ try Self.compare($0, in: transaction) }) ?? .isNew {
    case .agrees: break
    case .isNew: mark = try newGuard(in: transaction)
    case .hasLost:
      restored = try VaultRecords.restoreAll(in: transaction)
      try VaultGuardRecords.supersedeAll(in: transaction)
      mark = try newGuard(in: transaction)
    }
    let number = try VaultGenerationRecords.raise(in: transaction).number
    try VaultGuardRecords.raise(mark, to: number, in: transaction)
    return Settlement(
      generation: VaultGeneration(mark: mark, number: number, seen: number), restored: restored)
  }

  /// Raises the guard file after the write was committed.
  private func keep(_ generation: VaultGeneration) throws {
    try file.raise(to: generation)
    last.withLock { $0 = generation.raised(over: $0) }
  }

  func standing() async throws -> VaultStanding {
    // The file is read first: it is raised after the database.
    let kept = try file.read()
    return try await dependencies.database.read { connection in
      guard let kept else { return try VaultRecords.isEmpty(in: connection) ? .current : .restored }
      return try Self.compare(kept, in: connection) == .hasLost ? .restored : .current
    }
  }

  func begin() async throws -> Int? {
    var kept = try file.read()
    if kept == nil { kept = try await requestConfirmation() }
    last.withLock { [kept] in $0 = kept }
    return try await settle()
  }

  /// Compares the guard file with the database, notes what other machines have changed, and confirms new guards.
  func watch() async throws {
    guard let kept = try kept() else { return }
    let (comparison, newest, hasNewGuards) = try await dependencies.database.read { connection in
      (
        try Self.compare(kept, in: connection), try VaultGenerationRecords.current(in: connection)?.number ?? 0,
        try VaultGuardRecords.hasGuard(.unconfirmed, in: connection)
      )
    }
    guard comparison == .agrees else {
      if let count = try await settle() { logRestored(count) }
      return
    }
    if newest > kept.seen ?? 0 {
      try keep(VaultGeneration(mark: kept.mark, number: kept.number, seen: newest))
    }
    if hasNewGuards { try await confirmNewGuards() }
  }

  private func logRestored(_ count: Int) {
    dependencies.logger.warning(
      "the database has lost commits: the vault's records have one try each", metadata: ["records": "\(count)"])
  }

  /// Returns how many records were treated as restored; nil when nothing was lost.
  private func settle() async throws -> Int? {
    let settlement = try await dependencies.database.write(at: dependencies.clock.now()) { try self.settle(in: $0) }
    try keep(settlement.generation)
    return settlement.restored
  }

  private func confirmNewGuards() async throws {
    try await dependencies.database.write(at: dependencies.clock.now()) { transaction in
      guard let kept = try self.kept(), try Self.compare(kept, in: transaction) == .agrees else { return }
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
    while mayBeConfirmed, waited < dependencies.configuration.vault.newGuardPatience {
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

  private static func compare(_ kept: VaultGeneration, in connection: any SQLConnection) throws -> Comparison {
    let newest = try VaultGenerationRecords.current(in: connection)
    let row = try VaultGuardRecords.row(kept.mark, in: connection)
    switch row?.state {
    case .superseded: return .isNew
    case .confirmed where kept.number <= row?.generation ?? 0 && kept.seen ?? 0 <= newest?.number ?? 0: return .agrees
    // The file of the database when it was a file of SQLite.
    case nil where kept.seen == nil && kept.mark == newest?.mark && kept.number <= newest?.number ?? 0: return .isNew
    default: return try VaultRecords.isEmpty(in: connection) ? .isNew : .hasLost
    }
  }
}
