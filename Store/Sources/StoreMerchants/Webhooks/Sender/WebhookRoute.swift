import AsyncHTTPClient
import NIOCore
import NIOSSL
import StoreWeb
import Synchronization

/// The addresses of a host, with an HTTP client for each that connects to this address alone. The clients shut down
/// with the route, so an exchange holds its route until its end.
final class WebhookRoute: Sendable {
  /// The time limit of a connection, TLS included.
  private static let connectLimit: TimeAmount = .seconds(5)
  /// Shorter than that of common servers, of which Node.js has 5 s: a request on a connection that the server is
  /// closing fails.
  private static let idleLimit: TimeAmount = .seconds(4)
  /// Several endpoints may have the same host.
  private static let connectionLimit = 128

  let addresses: [IPAddress]
  private let host: String
  private let tls: TLSConfiguration?
  private let clients = Mutex<[IPAddress: HTTPClient]>([:])

  /// - Parameter tls: The settings of TLS connections; nil for the system's trusted certificates.
  init(host: String, addresses: [IPAddress], tls: TLSConfiguration?) {
    self.host = host
    self.addresses = addresses
    self.tls = tls
  }

  deinit {
    for client in clients.withLock({ Array($0.values) }) {
      // No exchange is left, so there is no error to report.
      Task { try? await client.shutdown() }
    }
  }

  /// The client that connects to an address. TLS and the header `Host` have the name of the host.
  func client(for address: IPAddress) -> HTTPClient {
    clients.withLock { clients in
      if let client = clients[address] { return client }
      let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration(for: address))
      clients[address] = client
      return client
    }
  }

  private func configuration(for address: IPAddress) -> HTTPClient.Configuration {
    var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow, decompression: .disabled)
    configuration.tlsConfiguration = tls
    configuration.dnsOverride = [host: address.description]
    configuration.httpVersion = .http1Only
    configuration.timeout.connect = Self.connectLimit
    configuration.connectionPool.idleTimeout = Self.idleLimit
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = Self.connectionLimit
    configuration.connectionPool.retryConnectionEstablishment = false
    return configuration
  }
}
