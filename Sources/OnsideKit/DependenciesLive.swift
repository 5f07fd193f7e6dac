public import Foundation
public import Logging

extension Dependencies {
  /// The real clock, randomness, languages and region of this machine.
  /// - Parameters:
  ///   - storageFolder: holds session and journal; the app's own.
  ///   - screens: shows the pages; the system's browser unless given.
  ///   - logger: receives the SDK's messages; unless given, warnings and errors go to standard error, or to the handler
  ///     that the app has passed to `LoggingSystem.bootstrap`.
  public static func live(
    storageFolder: URL, screens: any ScreenPresenter = SystemBrowserPresenter(),
    logger: Logger? = nil
  ) -> Dependencies {
    var dependencies = Dependencies(
      now: { Date() }, sleep: liveSleep, randomBytes: liveRandomBytes, storageFolder: storageFolder, screens: screens,
      languages: liveLanguages, systemRegion: liveRegion, logger: logger ?? defaultLogger(.warning))
    dependencies.apps = liveApps
    dependencies.secrets = liveSecrets
    return dependencies
  }

  /// A logger of swift-log's present handler, which writes to standard error unless the app has chosen another one.
  static func defaultLogger(_ level: Logger.Level) -> Logger {
    var logger = Logger(label: "onside")
    logger.logLevel = level
    return logger
  }

  package static let liveSleep: @Sendable (Double) async throws -> Void = { try await LivePause.wait($0) }

  #if os(Linux)
    private static let liveApps: any AppOpener = SystemAppOpener()
  #elseif canImport(UIKit)
    private static let liveApps: any AppOpener = ApplicationOpener()
  #else
    private static let liveApps: any AppOpener = NoAppOpener()
  #endif

  #if os(Linux)
    private static let liveSecrets: (any SecretStore)? = SecretServiceStore(sleep: liveSleep)
  #elseif canImport(Security)
    private static let liveSecrets: (any SecretStore)? = KeychainSecretStore()
  #else
    private static let liveSecrets: (any SecretStore)? = nil
  #endif

  #if canImport(Darwin)
    package static let liveLanguages: @Sendable () -> [String] = { Locale.preferredLanguages }
    private static let liveRegion: @Sendable () -> String? = { Locale.current.region?.identifier }
  #else
    private static var locale: POSIXLocale { POSIXLocale(environment: ProcessInfo.processInfo.environment) }
    package static let liveLanguages: @Sendable () -> [String] = { locale.languages }
    private static let liveRegion: @Sendable () -> String? = { locale.region }
  #endif

  package static let liveRandomBytes: @Sendable (Int) -> [UInt8] = { count in
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
  }
}
