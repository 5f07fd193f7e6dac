/// The connections to the server of a database: what an operator wants to know of them.
public struct DatabaseConnections: Sendable, Hashable {
  /// The connections that are open, or being opened.
  public var open: Int
  /// The reads that wait for a connection.
  public var waitingReads: Int
  /// How often since the database was opened the server was lost, and writes went on at a server that was found later:
  /// failovers, restarts of the server, interruptions of the network.
  public var failovers: Int

  /// A count.
  public init(open: Int, waitingReads: Int, failovers: Int) {
    self.open = open
    self.waitingReads = waitingReads
    self.failovers = failovers
  }
}
