public import Foundation
import OnsideAPI

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension RemoteKeySet {
  /// The keys of the store at an address, fetched with `URLSession` within ten seconds.
  ///
  /// - Parameters:
  ///   - storeURL: `https`, or `http` on this machine: whoever answers there decides which purchases are right.
  ///   - initial: keys to begin with; nil for none.
  ///   - now: the time, for tests.
  /// - Throws: ``VerificationError/Code/keysUnavailable`` for another address.
  public init(
    storeURL: URL, initial: JSONWebKeySet? = nil, now: @escaping @Sendable () -> Date = { Date() }
  ) throws(VerificationError) {
    guard storeURL.isSecureWebAddress else {
      throw VerificationError(
        .keysUnavailable, "Expected the store's address, https or http on this machine, got another one.")
    }
    let address = storeURL.appending(path: Route.jwks.path)
    self.init(initial: initial, now: now) { try await Self.document(at: address) }
  }

  private static func document(at address: URL) async throws -> Data {
    let session = URLSession(configuration: configuration)
    // A session lives until it is invalidated.
    defer { session.finishTasksAndInvalidate() }
    let (body, response) = try await session.data(from: address)
    // A redirect was followed already; its answer does not count.
    guard response.url == address, let status = (response as? HTTPURLResponse)?.statusCode, status == 200 else {
      throw VerificationError(
        .keysUnavailable, "Expected the keys with status 200, without a redirect, got something else at the address.")
    }
    return body
  }

  private static var configuration: URLSessionConfiguration {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpCookieStorage = nil
    configuration.urlCache = nil
    configuration.urlCredentialStorage = nil
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    configuration.timeoutIntervalForRequest = 10
    configuration.timeoutIntervalForResource = 10
    return configuration
  }
}
