import Foundation
import PostgresClient

/// A batch of writes that are committed together.
struct PostgresBatch {
  /// What came of it.
  struct Result: Sendable {
    var commit: SharedCommit
    var failure: StorageError?
    fileprivate var mayRunAgain = false
    /// Whether the server is not the one to write to any more, or was not in an earlier attempt.
    fileprivate(set) var hasLostServer = false
  }

  private let jobs: [WriteJob]
  private let writer: PostgresPool
  private let readers: PostgresPool

  init(_ jobs: [WriteJob], writer: PostgresPool, readers: PostgresPool) {
    self.jobs = jobs
    self.writer = writer
    self.readers = readers
  }

  /// Commits it; runs it again as long as nothing of it was kept and there is patience.
  func commit() -> Result {
    let end = ContinuousClock.now + PostgresDatabase.patience
    var hasLostServer = false
    while true {
      var result = attempt()
      if result.hasLostServer {
        writer.closeAll()
        readers.closeAll()
      }
      let mustPause = result.hasLostServer
      hasLostServer = hasLostServer || result.hasLostServer
      result.hasLostServer = hasLostServer
      guard result.mayRunAgain, ContinuousClock.now < end else { return result }
      if mustPause { Thread.sleep(forTimeInterval: 0.1) }
    }
  }

  private func attempt() -> Result {
    let jobs = jobs
    do {
      return try writer.runBlocking { connection in Self.attempt(jobs, with: connection) }
    } catch let error as PostgresError {
      return Result(
        commit: SharedCommit(of: jobs), failure: StorageError(error), mayRunAgain: error.mayConnectLater,
        hasLostServer: true)
    } catch {
      return Result(commit: SharedCommit(of: jobs), failure: StorageError(error))
    }
  }

  private static func attempt(_ jobs: [WriteJob], with connection: PostgresConnection) -> Result {
    let shared = PostgresSQLConnection(connection)
    var result = Result(commit: SharedCommit(of: jobs))
    do throws(StorageError) {
      try result.commit.run(in: shared)
      result.commit.end()
    } catch {
      result.failure = error
      result.mayRunAgain = shared.mayRunAgain
      result.hasLostServer = shared.failure?.kind == .readOnly || !connection.isOpen
    }
    return result
  }
}

extension PostgresError {
  /// Whether a connection that could not be opened may be opened soon.
  var mayConnectLater: Bool { [.unreachable, .readOnly, .serverFull].contains(kind) }
}
