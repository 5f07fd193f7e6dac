package import StoreBase

/// The guard of a vault whose database is a file: one guard file, which all processes of the machine share.
package final class FileVaultGuard: VaultGuarding {
  /// Nil: an older database is not noticed.
  private let file: VaultGuardFile?
  private let database: any Database
  private let clock: SandboxClock

  /// A guard with a file, if one is configured.
  init(_ file: VaultGuardFile?, _ dependencies: BaseDependencies) {
    self.file = file
    database = dependencies.database
    clock = dependencies.clock
  }

  /// The one file is that of the database, or what ``begin()`` has made it.
  package func requireProven(in connection: any SQLConnection) throws {}

  package func takePart(in connection: any SQLConnection) throws -> @Sendable () throws -> Void {
    let generation = try VaultGenerationRecords.raise(in: connection)
    return { [file] in try file?.raise(to: generation) }
  }

  package func standing() async throws -> VaultStanding {
    guard let file else { return .current }
    // The file is read first: it is raised after the database, so that it is never ahead of the database read next.
    let kept = try file.read()
    let (generation, isEmpty) = try await database.read { connection in
      (try VaultGenerationRecords.current(in: connection), try VaultRecords.isEmpty(in: connection))
    }
    guard let generation, !isEmpty else { return .current }
    guard let kept, kept.mark == generation.mark, kept.number <= generation.number else { return .restored }
    return .current
  }

  package func begin() async throws -> Int? {
    let (isRestored, now) = (try await standing() == .restored, clock.now())
    let kept = try file?.read()?.number ?? 0
    return try await database.write(at: now, beside: self) { transaction in
      guard isRestored else { return nil }
      let count = try VaultRecords.restoreAll(in: transaction)
      if let number = try VaultGenerationRecords.current(in: transaction)?.number {
        try VaultGenerationRecords.set(max(number, kept), in: transaction)
      }
      return count
    }
  }

  /// A file is not put back while a store has it open.
  package func watch() async throws {}
}
