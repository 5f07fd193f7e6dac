public import Foundation
import Synchronization

/// The address under which the world knows the store; with a free port it is known once the store listens.
public final class PublicAddress: Sendable {
  private let value: Mutex<URL>
  private let isFixed: Bool
  private let listeningPort = Mutex<Int?>(nil)

  /// - Parameters:
  ///   - fixed: the configured address.
  ///   - host: the host on which the store listens, for a store without a configured address.
  ///   - port: its port; 0 for a free one.
  package init(_ fixed: URL?, host: String, port: Int) {
    isFixed = fixed != nil
    value = Mutex(fixed ?? Self.local(host, port))
  }

  /// The address, without a slash at its end; it is also the issuer of tokens.
  public var url: URL { value.withLock { $0 } }

  /// The port of the socket, once the store listens; a fixed address need not tell it.
  package var port: Int? { listeningPort.withLock { $0 } }

  /// A page or route below the address; `path` begins with a slash.
  public func url(path: String) -> URL { URL(string: url.absoluteString + path) ?? url }

  /// Takes the address under which the store is served, unless the configuration has one.
  package func adopt(_ url: URL) {
    guard !isFixed else { return }
    value.withLock { $0 = url }
  }

  /// Called once the store listens.
  package func listening(host: String, port: Int) {
    listeningPort.withLock { $0 = port }
    guard !isFixed else { return }
    value.withLock { $0 = Self.local(host, port) }
  }

  private static func local(_ host: String, _ port: Int) -> URL {
    var components = URLComponents()
    components.scheme = "http"
    components.host = host
    components.port = port
    guard let url = components.url else { preconditionFailure("\(host) is not a host name") }
    return url
  }
}
