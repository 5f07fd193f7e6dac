import AsyncHTTPClient
import ConformanceTable
public import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import OnsideAPI
import StoreTestSupport

/// A store to look at from outside: a system's own, or any other.
public struct RunningStore: Sendable {
  /// Where it is.
  public let address: URL
  /// An app that it knows; without one, the cases that need it have nothing to try.
  public let app: String?

  /// The store of this run; nil where each case makes its own.
  @TaskLocal public static var current: RunningStore?

  /// A store that runs.
  public init(address: URL, app: String?) {
    self.address = address
    self.app = app
  }

  /// What it answered.
  struct Answer {
    let status: Int
    let headers: HTTPHeaders
    let text: String

    var problem: ProblemDetails? {
      headers.first(name: "content-type")?.hasPrefix("application/problem+json") == true
        ? try? WireCoding.decoder().decode(ProblemDetails.self, from: Data(text.utf8)) : nil
    }

    func json() throws -> [String: Any] {
      try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] ?? [:]
    }
  }

  /// Gives the case a store, which is taken down afterwards when it was made for the case.
  @MainActor
  static func use(_ body: @MainActor (RunningStore) async throws -> Void) async throws {
    if let current { return try await body(current) }
    try await TestedSystem.run { try await body(RunningStore(address: $0.network.address, app: TestedSystem.app)) }
  }

  /// Asks it, without following redirects; again while it is busy.
  func ask(
    _ method: HTTPMethod, _ path: String, query: [String: String] = [:], headers: [String: String] = [:],
    body: String? = nil
  ) async throws -> Answer {
    var components = URLComponents(url: address.appending(path: path), resolvingAgainstBaseURL: false)
    if !query.isEmpty { components?.queryItems = query.map { URLQueryItem(name: $0.key, value: $0.value) } }
    var request = HTTPClientRequest(url: components?.url?.absoluteString ?? path)
    request.method = method
    for (name, value) in headers { request.headers.replaceOrAdd(name: name, value: value) }
    if let body { request.body = .bytes(ByteBuffer(string: body)) }
    let ready = request
    return try await repeatedWhileBusy("\(method) \(path)") {
      let response = try await Self.client.execute(ready, timeout: .minutes(2))
      let bytes = try await response.body.collect(upTo: 1 << 22)
      let answer = Answer(status: Int(response.status.code), headers: response.headers, text: String(buffer: bytes))
      return StoreAnswer(
        answer, status: answer.status, retryAfter: answer.headers.first(name: "Retry-After"))
    }
  }

  private static let client = HTTPClient(
    eventLoopGroup: .singletonMultiThreadedEventLoopGroup,
    configuration: HTTPClient.Configuration(redirectConfiguration: .disallow))
}
