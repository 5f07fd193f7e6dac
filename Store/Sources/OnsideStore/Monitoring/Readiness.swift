import Logging
import StoreBase
import StoreSales
import StoreWeb
import Synchronization

/// Whether this process should get requests: each part says what keeps it from serving, in words without secrets.
final class Readiness: Sendable {
  /// What has to work.
  enum Part: String, CaseIterable, Sendable {
    case database, integrity, keys, running, schema

    /// The part's field in the answer.
    var name: StaticString {
      switch self {
      case .database: "database"
      case .integrity: "integrity"
      case .keys: "keys"
      case .running: "running"
      case .schema: "schema"
      }
    }
  }

  /// How long the database has to answer. A disk that is frozen never does.
  private static let patience: Duration = .seconds(3)

  private let database: any Database
  private let keys: SigningKeys
  private let logger: Logger
  private let proof: WriteProof
  private let deadlines: DeadlineTimer
  private let isStopping = Atomic<Bool>(false)
  private let lastFaults = Mutex<[Part: String]>([:])
  /// The questions to the database that all callers of this moment share: a flood of them must not load it.
  private let asking = Mutex<Task<[Part: String], Never>?>(nil)

  init(_ dependencies: StoreDependencies, keys: SigningKeys, deadlines: DeadlineTimer) {
    database = dependencies.database
    logger = dependencies.logger
    self.keys = keys
    self.deadlines = deadlines
    proof = WriteProof(database: dependencies.database, clock: dependencies.clock)
  }

  /// From now on the store is not ready: it is stopping.
  func stop() { isStopping.store(true, ordering: .releasing) }

  /// What keeps the store from serving; empty when it is ready.
  func faults() async -> [Part: String] {
    var faults = await askDatabase()
    if isStopping.load(ordering: .acquiring) { faults[.running] = "The store is stopping." }
    if (try? keys.active()) == nil { faults[.keys] = "There is no active signing key." }
    // After the questions to the database, which may have met the damage.
    if database.foundDamage != nil {
      faults[.integrity] = "The database is damaged. Stop the store and restore a backup."
    }
    log(faults)
    return faults
  }

  private func askDatabase() async -> [Part: String] {
    let asked = asking.withLock { asking in
      let asked = asking ?? Task { await self.databaseFaultsInTime() }
      asking = asked
      return asked
    }
    return await asked.value
  }

  private func databaseFaultsInTime() async -> [Part: String] {
    let faults = await deadlines.result(within: Self.patience) { await self.databaseFaults() }
    asking.withLock { $0 = nil }
    return faults ?? [.database: "The database does not answer."]
  }

  private func databaseFaults() async -> [Part: String] {
    var faults: [Part: String] = [:]
    faults[.database] = await proof.failure().map(Self.words)
    faults[.schema] = await schemaFault()
    return faults
  }

  private func schemaFault() async -> String? {
    do {
      let numbers = try await database.read { try SchemaRecords.applied(in: $0) }
      let known = Set(Migration.all.map(\.number))
      guard numbers != known else { return nil }
      return numbers.isSubset(of: known)
        ? "The database's schema is older than this program's."
        : "The database's schema is newer than this program's."
    } catch {
      return "The database cannot be read: \(Self.words(StorageError(error)))"
    }
  }

  /// What an error means, without paths and without the engine's own words.
  private static func words(_ error: StorageError) -> String {
    switch error {
    case .full: "The disk is full."
    case .unavailable: "The disk does not answer."
    case .guardFile: "The vault's guard file fails."
    case .busy: "Another program holds the database."
    case .closed: "The database is closed."
    case .damaged: "The database is damaged."
    case .unreachable: "The database server does not answer."
    case .outcomeUnknown: "It is not known whether the database has committed a write."
    case .constraint, .invalidValue, .unexpectedValue, .failed, .refused:
      "A statement failed unexpectedly; see the store's log."
    }
  }

  /// Logs a change, not each question.
  private func log(_ faults: [Part: String]) {
    let isNew = lastFaults.withLock { last in
      defer { last = faults }
      return last != faults
    }
    guard isNew else { return }
    let parts = faults.map { "\($0.key.rawValue): \($0.value)" }.sorted().joined(separator: " ")
    if faults.isEmpty {
      logger.notice("the store is ready")
    } else {
      logger.warning("the store is not ready", metadata: ["parts": "\(parts)"])
    }
  }
}
