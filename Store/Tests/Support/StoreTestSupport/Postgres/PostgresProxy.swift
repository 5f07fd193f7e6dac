import Foundation
import Glibc
import Synchronization

/// Stands between a client and a server's Unix socket, and fails in ways that a network does.
public final class PostgresProxy: Sendable {
  /// What the proxy does with what it is sent.
  public enum Behaviour: Sendable {
    /// Passes on everything.
    case forwards
    /// Takes everything and passes on nothing, as a frozen server does.
    case isSilent
    /// Ends the connection when the server has answered to COMMIT, before the client is told.
    case losesAnswerToCommit
    /// Accepts a new connection and ends it at once, as a server that starts does.
    case refuses
  }

  private struct State {
    var behaviour = Behaviour.forwards
    var descriptors: [Int32] = []
  }

  private let folder: TemporaryFolder
  private let server: String
  private let listener: Int32
  private let state = Mutex(State())

  /// The folder of the proxy's socket.
  public var socketFolder: String { folder.path }

  /// Listens on a socket of its own.
  public init(to server: PostgresServer) throws {
    folder = try TemporaryFolder(in: URL(filePath: "/tmp"))
    self.server = server.socketFolder + "/.s.PGSQL.5432"
    listener = try Self.socket(folder.file(".s.PGSQL.5432")) { bind($0, $1, $2) }
    listen(listener, 8)
    Thread.detachNewThread { [weak self, listener] in
      while true {
        let client = accept(listener, nil, nil)
        guard client >= 0, let self else { return }
        _ = fcntl(client, F_SETFD, FD_CLOEXEC)
        serve(client)
      }
    }
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
    // The threads close them.
    endConnections()
  }

  /// The same database through the proxy.
  public func url(_ database: String) -> String {
    "postgres://\(PostgresServer.user)@\(socketFolder.replacing("/", with: "%2F"))/\(database)"
  }

  /// Changes what it does from now on.
  public func set(_ behaviour: Behaviour) { state.withLock { $0.behaviour = behaviour } }

  /// Ends every connection that there is.
  public func endConnections() {
    for descriptor in state.withLock(\.descriptors) { shutdown(descriptor, Int32(SHUT_RDWR)) }
  }

  private func serve(_ client: Int32) {
    guard !refuses, let upstream = try? Self.socket(server, { connect($0, $1, $2) }) else {
      close(client)
      return
    }
    state.withLock { $0.descriptors += [client, upstream] }
    let sawCommit = Flag()
    copy(from: client, to: upstream) { proxy, bytes in
      if proxy.losesAnswers, bytes.contains("COMMIT\0".utf8) { sawCommit.set() }
      return true
    }
    copy(from: upstream, to: client) { proxy, _ in !(proxy.losesAnswers && sawCommit.isSet) }
  }

  private var losesAnswers: Bool { state.withLock { $0.behaviour == .losesAnswerToCommit } }
  private var refuses: Bool { state.withLock { $0.behaviour == .refuses } }
  private var isSilent: Bool { state.withLock { $0.behaviour == .isSilent } }

  /// Passes on what is read, until an end or until the check says no; then ends both sides.
  private func copy(
    from source: Int32, to target: Int32, check: @escaping @Sendable (PostgresProxy, ArraySlice<UInt8>) -> Bool
  ) {
    Thread.detachNewThread { [weak self] in
      var buffer = [UInt8](repeating: 0, count: 65536)
      while true {
        let count = read(source, &buffer, buffer.count)
        guard count > 0, let self, check(self, buffer[..<count]) else { break }
        if !isSilent, send(target, buffer, count, Int32(MSG_NOSIGNAL)) != count { break }
      }
      for descriptor in [source, target] { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }
  }

  private static func socket(
    _ path: String, _ attach: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) throws -> Int32 {
    let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let status = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        attach(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard status == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    return descriptor
  }
}

private final class Flag: Sendable {
  private let value = Mutex(false)
  var isSet: Bool { value.withLock { $0 } }
  func set() { value.withLock { $0 = true } }
}

extension Collection<UInt8> {
  fileprivate func contains(_ other: some Collection<UInt8>) -> Bool {
    firstRange(of: other) != nil
  }
}
