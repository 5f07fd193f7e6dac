/// The listener for health checks and metrics, apart from that of the clients.
public struct MonitoringConfiguration: Sendable {
  /// The address to listen on.
  public var host = "127.0.0.1"
  /// The port to listen on; nil: there is no such listener.
  public var port: Int?

  /// No listener.
  public init() {}
}
