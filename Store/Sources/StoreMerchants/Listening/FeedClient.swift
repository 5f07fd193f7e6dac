import AsyncHTTPClient
package import Foundation
import NIOCore
import NIOHTTP1
package import OnsideAPI
import StoreBase

/// Reads an app's feed of events over HTTP.
package struct FeedClient: Sendable {
  /// The most bytes of an answer: 500 events with large objects.
  private static let largestAnswer = 64 * 1024 * 1024
  /// The time of a request beside its wait for events, in seconds.
  private static let timeout: Int64 = 30
  /// The most events of a page.
  private static let pageLimit = 500

  // It lives as long as the process, as `HTTPClient.shared` does, which follows redirects.
  private static let client = HTTPClient(
    eventLoopGroupProvider: .singleton,
    configuration: HTTPClient.Configuration(redirectConfiguration: .disallow, decompression: .disabled))

  private let address: URL
  private let key: String

  /// - Parameters:
  ///   - store: the address of the store.
  ///   - key: an API key with the scope `read`.
  package init(store: URL, key: String) {
    address = store.appending(path: Route.merchantEvents.path)
    self.key = key
  }

  /// Returns the page of events after a cursor. A page without events arrives after `wait` seconds.
  ///
  /// - Parameter types: the types of the events; empty for all.
  package func page(
    after cursor: String?, types: [MerchantEventType] = [], wait: Int = 0
  ) async throws -> MerchantFeedMessage {
    let request = request(after: cursor, types: types, wait: wait)
    let response: HTTPClientResponse
    let body: ByteBuffer
    do {
      response = try await Self.client.execute(request, timeout: .seconds(Int64(wait) + Self.timeout))
      body = try await response.body.collect(upTo: Self.largestAnswer)
    } catch {
      try Task.checkCancellation()
      throw FeedClientError.unavailable(reason: error.loggedName, pause: nil)
    }
    let bytes = Data(body.readableBytesView)
    guard response.status == .ok else { throw FeedClientError(response, body: bytes) }
    do {
      return try WireCoding.decoder().decode(MerchantFeedMessage.self, from: bytes)
    } catch {
      throw FeedClientError.rejected(reason: "expected a page of the feed, got another answer: \(error.loggedName)")
    }
  }

  /// Returns the cursor of the feed's end: nil for a feed without events.
  package func end() async throws -> String? {
    var cursor: String?
    while true {
      // Of a page for a rare type, the cursor passes thousands of other events.
      let page = try await page(after: cursor, types: [.customerRemoved])
      guard let next = page.cursor, next != cursor else { return cursor }
      cursor = next
    }
  }

  private func request(after cursor: String?, types: [MerchantEventType], wait: Int) -> HTTPClientRequest {
    let values: [String: String?] = [
      "after": cursor, "types": types.isEmpty ? nil : types.map(\.rawValue).joined(separator: ","),
      "wait": "\(wait)", "limit": "\(Self.pageLimit)",
    ]
    let items = values.compactMap { name, value in value.map { URLQueryItem(name: name, value: $0) } }
    var request = HTTPClientRequest(url: address.appending(queryItems: items).absoluteString)
    request.headers.add(name: "Authorization", value: "Bearer \(key)")
    request.headers.add(name: "Accept", value: "application/json")
    return request
  }
}

/// A request to the feed without a page as its answer.
package enum FeedClientError: Error, Hashable, CustomStringConvertible {
  /// The request is wrong, and would be again.
  case rejected(reason: String)
  /// No answer, or one that asks for another request, after a pause of some seconds if it names one.
  case unavailable(reason: String, pause: TimeInterval?)

  fileprivate init(_ response: HTTPClientResponse, body: Data) {
    let problem = try? JSONDecoder().decode(Detail.self, from: body)
    let status = response.status.code
    let reason = "status \(status)" + (problem?.detail.map { ": \($0)" } ?? "")
    guard [408, 429].contains(status) || status >= 500 else {
      self = .rejected(reason: reason)
      return
    }
    let pause = response.headers.first(name: "Retry-After").flatMap { TimeInterval($0) }
    self = .unavailable(reason: reason, pause: pause.map { min(max($0, 0), 60) })
  }

  private struct Detail: Decodable {
    let detail: String?
  }

  package var description: String {
    switch self {
    case .rejected(let reason), .unavailable(let reason, _): reason
    }
  }
}
