import AsyncHTTPClient
package import Foundation
import NIOCore
import NIOHTTP1

/// A collector that takes OTLP over HTTP, in JSON.
package struct SpanCollector: Sendable {
  /// What became of a batch.
  enum Answer: Sendable, Hashable {
    case taken
    /// It will never be taken.
    case refused(String)
    /// It may be taken later.
    case unreachable(String)
  }

  private static let timeout = TimeAmount.seconds(10)

  package let url: URL
  /// What the spans are of.
  package let resource: OTLPTraces.Resource

  package init(url: URL, resource: OTLPTraces.Resource) {
    self.url = url
    self.resource = resource
  }

  func send(_ batch: [FinishedSpan]) async -> Answer {
    var request = HTTPClientRequest(url: url.absoluteString)
    request.method = .POST
    request.headers.add(name: "Content-Type", value: "application/json")
    do {
      let encoder = JSONEncoder()
      encoder.outputFormatting = .withoutEscapingSlashes
      request.body = .bytes(ByteBuffer(bytes: try encoder.encode(OTLPTraces(batch, of: resource))))
      let response = try await HTTPClient.shared.execute(request, timeout: Self.timeout)
      // Read to its end, so that the connection is used again; a collector says little.
      _ = try await response.body.collect(upTo: 64 * 1024)
      switch response.status.code {
      case 200..<300: return .taken
      case 408, 429, 500...: return .unreachable("expected 2xx, got \(response.status.code)")
      default: return .refused("expected 2xx, got \(response.status.code)")
      }
    } catch {
      return .unreachable(error.loggedName)
    }
  }
}
