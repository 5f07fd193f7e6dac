import Foundation
import OnsideAPI
import OnsideVault
package import StoreBase
import Synchronization

/// The vault service: it counts each try of a PIN, and flushes the count to disk before it evaluates. `OnsideVault` has
/// the rules; each refusal of theirs is thrown as a ``VaultError``.
package final class VaultService: Sendable {
  /// The result of a request of an enrolled device.
  private struct Change: Sendable {
    var message: VaultMessage
    var result: Result<VaultEffect, VaultRefusal>
    var hasDeletedKey: Bool
  }

  private let database: any Database
  private let clock: SandboxClock
  private let random: any RandomSource
  /// Notices that the database has lost commits.
  package let lossGuard: any VaultGuarding
  private let metrics: VaultMetrics
  /// Whether the database's files may still hold a deleted key.
  private let hasDeletedKeys = Atomic<Bool>(true)

  package init(_ dependencies: BaseDependencies, configuration: VaultConfiguration, metrics: VaultMetrics) {
    database = dependencies.database
    clock = dependencies.clock
    random = dependencies.random
    self.metrics = metrics
    let file = configuration.guardPath.map { VaultGuardFile(path: $0) }
    if let file, database.isOnServer {
      lossGuard = MachineVaultGuard(file, dependencies, newGuardPatience: configuration.newGuardPatience)
    } else {
      lossGuard = FileVaultGuard(file, dependencies)
    }
  }

  /// Enrols a device; a repeated request with the same id returns the enrolment's state.
  func enrol(_ request: VaultEnrolRequest, by signature: VaultSignature) async throws -> VaultMessage {
    guard (request.servers ?? 1) == 1, (request.threshold ?? 1) == 1 else {
      throw VaultError.severalVaults
    }
    guard let key = VaultKey(seed: random.bytes(32)) else { throw VaultError.internalError }
    let (now, machineNow) = (clock.now(), clock.unmovedNow())
    return try await flushed(at: now) { transaction in
      if let known = try VaultRecords.record(request.enrolment, in: transaction) {
        return try Self.admit(known, by: signature, machineNow: machineNow, in: transaction) { _ in .answer }
      }
      try Self.check(signature, machineNow: machineNow)
      let old = try request.replaces.map { try Self.replaceable($0, by: signature, in: transaction) }
      guard
        let record = VaultRecord(
          request.enrolment, deviceKey: signature.deviceKey, key: key, replacing: old, at: now)
      else { throw VaultError.internalError }
      // An earlier change of PIN that was interrupted must not be confirmed after this one.
      let hasDropped = try old.map { try VaultRecords.drop(replacing: $0, in: transaction) } ?? false
      try VaultRecords.insert(record, in: transaction)
      var change = try Self.admit(record, by: signature, machineNow: machineNow, in: transaction) { _ in .answer }
      change.hasDeletedKey = change.hasDeletedKey || hasDropped
      return change
    }.message
  }

  /// The state of an enrolment.
  func state(of id: VaultEnrolmentID, by signature: VaultSignature) async throws -> VaultMessage {
    try await change(id, by: signature) { _, _ in .answer }.message
  }

  /// Seals, confirms or destroys an enrolment.
  func handle(
    _ event: VaultEvent, of id: VaultEnrolmentID, by signature: VaultSignature
  ) async throws -> VaultMessage {
    let now = clock.now()
    return try await change(id, by: signature) { record, transaction in
      let wasSealed = record.state == .sealed
      let effect = try record.handle(event, at: now)
      if case .confirm = event, wasSealed { try Self.deleteReplaced(by: record, in: transaction) }
      return effect
    }.message
  }

  /// One try of a PIN: it is counted and flushed, and only then evaluated. Bytes that are no group element are refused
  /// and not counted.
  func evaluate(
    _ blinded: [UInt8], for id: VaultEnrolmentID, by signature: VaultSignature
  ) async throws -> VaultEvaluationMessage {
    do {
      let answer = try await countedAnswer(blinded, for: id, by: signature)
      metrics.tryAnswered()
      return answer
    } catch {
      metrics.tryRefused(error)
      throw error
    }
  }

  private func countedAnswer(
    _ blinded: [UInt8], for id: VaultEnrolmentID, by signature: VaultSignature
  ) async throws -> VaultEvaluationMessage {
    guard VaultKey.isElement(blinded) else { throw VaultError(.elementInvalid) }
    let now = clock.now()
    let change = try await change(id, by: signature) { record, _ in try record.handle(.evaluate, at: now) }
    checkpoint("vault.counted")
    guard case .success(.evaluate(let key)) = change.result else { throw VaultError.internalError }
    let answer = try key.evaluate(blinded, publicKey: change.message.publicKey.bytes)
    return VaultEvaluationMessage(
      element: WireBytes(answer.element), proof: WireBytes(answer.proof), vault: change.message)
  }

  private func change(
    _ id: VaultEnrolmentID, by signature: VaultSignature,
    _ body: @escaping @Sendable (inout VaultRecord, StoreTransaction) throws -> VaultEffect
  ) async throws -> Change {
    let (now, machineNow) = (clock.now(), clock.unmovedNow())
    return try await flushed(at: now) { transaction in
      guard let record = try VaultRecords.record(id, in: transaction) else { throw VaultError(.notFound) }
      return try Self.admit(record, by: signature, machineNow: machineNow, in: transaction) {
        try body(&$0, transaction)
      }
    }
  }

  /// Checks the time of a request that has no record yet.
  private static func check(_ signature: VaultSignature, machineNow: Date) throws(VaultError) {
    do throws(VaultRefusal) {
      try signature.check(clock: machineNow)
    } catch {
      throw VaultError(error, serverTime: machineNow)
    }
  }

  /// Checks a request's signature and nonce, and runs its body. The nonce of a refused body is stored as well, against
  /// a replay.
  private static func admit(
    _ known: VaultRecord, by signature: VaultSignature, machineNow: Date, in transaction: StoreTransaction,
    _ body: (inout VaultRecord) throws -> VaultEffect
  ) throws -> Change {
    var record = known
    do throws(VaultRefusal) {
      try record.admit(signature, clock: machineNow)
    } catch {
      // The device signs a new request with this time.
      throw VaultError(error, serverTime: error == .notFound ? nil : record.clock(at: machineNow))
    }
    if record.requestsAfter > known.requestsAfter { try VaultRecords.forgetOldRequests(of: record, in: transaction) }
    guard try VaultRecords.note(signature, of: record, in: transaction) else { throw VaultError(.replayed) }
    let admitted = record
    let result: Result<VaultEffect, VaultRefusal>
    do {
      result = .success(try body(&record))
    } catch let refusal as VaultRefusal {
      (record, result) = (admitted, .failure(refusal))
    }
    try VaultRecords.update(record, in: transaction)
    let takesOver = record.replaces != nil && record.state == .confirmed && admitted.state == .sealed
    return Change(
      message: record.message(at: transaction.now), result: result,
      hasDeletedKey: takesOver || (admitted.key != nil && record.key == nil))
  }

  /// Deletes the key of the replaced enrolment, the second half of a change of PIN, in the same write: a refusal here
  /// rolls back both.
  private static func deleteReplaced(by record: VaultRecord, in transaction: StoreTransaction) throws {
    guard let id = record.replaces, var old = try VaultRecords.record(id, in: transaction) else { return }
    _ = try old.handle(.replace, at: transaction.now)
    try VaultRecords.update(old, in: transaction)
  }

  private static func replaceable(
    _ id: VaultEnrolmentID, by signature: VaultSignature, in connection: any SQLConnection
  ) throws -> VaultRecord {
    guard let old = try VaultRecords.record(id, in: connection), old.deviceKey == signature.deviceKey else {
      throw VaultError(.notFound)
    }
    switch old.state {
    case .confirmed, .destroyed: return old
    case .replaced: throw VaultError(.replaced)
    default: throw VaultError(.notCurrent)
    }
  }

  /// Makes a change and flushes it, in the database and in the guard file. Throws when its result is a refusal.
  private func flushed(
    at now: Date, _ body: @escaping @Sendable (StoreTransaction) throws -> Change
  ) async throws -> Change {
    let change: Change
    do {
      change = try await database.write(at: now, beside: lossGuard) { [lossGuard] transaction in
        try lossGuard.requireProven(in: transaction)
        return try body(transaction)
      }
    } catch let error as StorageError {
      // The guard file alone may have failed: the database may have deleted a key.
      hasDeletedKeys.store(true, ordering: .releasing)
      throw error
    }
    if change.hasDeletedKey { hasDeletedKeys.store(true, ordering: .releasing) }
    if case .failure(let refusal) = change.result { throw VaultError(refusal, enrolment: change.message) }
    return change
  }
}

extension VaultService {
  /// Gives a new database its mark.
  package func prepare() async throws {
    let mark = random.token()
    try await database.write { try VaultGenerationRecords.begin(mark: mark, in: $0) }
  }

  /// Deletes enrolments that were not confirmed in time, and clears deleted keys out of the database's files.
  package func maintain() async throws {
    let limit = clock.now() - VaultRules.confirmationTime
    var hasDropped = false
    while try await dropSome(enrolledBefore: limit) { hasDropped = true }
    guard hasDeletedKeys.exchange(false, ordering: .acquiringAndReleasing) || hasDropped else { return }
    if try await !database.clearDeleted() { hasDeletedKeys.store(true, ordering: .releasing) }
  }

  private func dropSome(enrolledBefore limit: Date) async throws -> Bool {
    try await database.write(at: clock.now()) { transaction in
      let hasDropped = try VaultRecords.drop(enrolledBefore: limit, in: transaction)
      if hasDropped { _ = try VaultGenerationRecords.raise(in: transaction) }
      return hasDropped
    }
  }
}
