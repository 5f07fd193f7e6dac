/// The events that apps report without a login.
public struct EventConfiguration: Sendable {
  /// Whether they are stored. Events of merchants' servers are stored in any case.
  public var areStored = true
  /// The bytes that the events of one app may take up on one day (UTC); beyond it they are rejected until the next day.
  public var bytesPerApp = 256 * 1024 * 1024
  /// The bytes that the events from one network address (64 bits of IPv6) may take up on one day (UTC).
  public var bytesPerAddress = 64 * 1024 * 1024

  /// The defaults: stored, 256 MiB a day for each app and 64 MiB for each address, which many people may share.
  public init() {}
}
