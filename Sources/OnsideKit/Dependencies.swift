public import Foundation
public import Logging

/// The injected dependencies of the SDK (clock, randomness, disk, screens), passed in once so that a run can be
/// replayed.
public struct Dependencies: Sendable {
  /// The wall clock.
  public var now: @Sendable () -> Date
  /// Waits for a number of seconds; throws `CancellationError` when the task is cancelled.
  public var sleep: @Sendable (_ seconds: Double) async throws -> Void
  /// Random bytes from a cryptographic source.
  public var randomBytes: @Sendable (_ count: Int) -> [UInt8]
  /// The folder that holds session and journal; made when missing, readable by its owner only.
  public var storageFolder: URL
  /// Reads and writes the queue's files in that folder.
  package var files: any FileSystem = SystemFiles()
  /// Which build of the app runs: another one understands other messages of the store.
  package var appBuild = AppBuild.current
  /// Shows the login, payment and payment-methods pages.
  public var screens: any ScreenPresenter
  /// Opens the store's own app for logins; no app unless the host gives one, as
  /// ``live(storageFolder:screens:logger:)`` does.
  public var apps: any AppOpener = NoAppOpener()
  /// Keeps the key that seals the session's tokens; without one they lie in a file that only its owner can read.
  package var secrets: (any SecretStore)?
  /// The user's languages, best first, BCP 47.
  public var languages: @Sendable () -> [String]
  /// The system's region, ISO 3166-1 alpha-2, if it has one.
  public var systemRegion: @Sendable () -> String?
  /// Receives the SDK's messages. Tokens and codes are never logged.
  public var logger: Logger

  /// Puts dependencies together.
  public init(
    now: @escaping @Sendable () -> Date, sleep: @escaping @Sendable (Double) async throws -> Void,
    randomBytes: @escaping @Sendable (Int) -> [UInt8], storageFolder: URL, screens: any ScreenPresenter,
    languages: @escaping @Sendable () -> [String], systemRegion: @escaping @Sendable () -> String?, logger: Logger
  ) {
    self.now = now
    self.sleep = sleep
    self.randomBytes = randomBytes
    self.storageFolder = storageFolder
    self.screens = screens
    self.languages = languages
    self.systemRegion = systemRegion
    self.logger = logger
  }

  /// Leaves the system's place for secrets alone (a keyring, a keychain): what proves a login lies in files that only
  /// their owner can read. For tests and tools, whose folders come and go.
  public mutating func keepSecretsInFiles() { secrets = nil }
}
