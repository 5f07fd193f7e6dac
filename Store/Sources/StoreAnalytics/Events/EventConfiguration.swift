/// The events that apps report without a login.
public struct EventConfiguration: Sendable {
  /// Whether the events are stored. Events of merchants' servers are stored in any case.
  public var areStored = true
  /// The bytes of the stored events of one app on one day (UTC), from which on its events are rejected until the next
  /// day.
  public var bytesPerApp = 256 * 1024 * 1024
  /// The most bytes of events from one network address (56 bits of IPv6) that are stored on one day (UTC).
  public var bytesPerAddress = 64 * 1024 * 1024

  /// The defaults: stored, 256 MiB a day for each app and 64 MiB for each address, which many people may share.
  public init() {}
}
