import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import StoreBase
import Tracing

/// Requests to a provider: no redirects, and an end in time and bytes.
struct ProviderHTTP: Sendable {
  static let maximumSize = 256 * 1024

  /// How long a request may take in all.
  var timeout: Duration = .seconds(10)

  // It lives as long as the process, as `HTTPClient.shared` does, which follows redirects.
  private static let client = HTTPClient(
    eventLoopGroupProvider: .singleton,
    configuration: HTTPClient.Configuration(redirectConfiguration: .disallow, decompression: .disabled))

  func get(_ address: String) async throws(OpenIDFailure) -> Data {
    var request = HTTPClientRequest(url: address)
    request.headers.add(name: "Accept", value: "application/json")
    let answer = try await answer(request)
    guard answer.status == 200 else { throw .unexpected("200 from the provider, got \(answer.status)") }
    return answer.body
  }

  func post(
    _ address: String, fields: [(String, String)], authorization: String?
  ) async throws(OpenIDFailure) -> (status: UInt, body: Data) {
    var request = HTTPClientRequest(url: address)
    request.method = .POST
    request.headers.add(name: "Accept", value: "application/json")
    request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
    if let authorization { request.headers.add(name: "Authorization", value: authorization) }
    request.body = .bytes(ByteBuffer(string: String("".appendingQuery(fields).dropFirst())))
    return try await answer(request)
  }

  private func answer(_ request: HTTPClientRequest) async throws(OpenIDFailure) -> (status: UInt, body: Data) {
    let span = StoreSpan.startChild("login provider \(request.method.rawValue)", ofKind: .client)
    defer { span?.end() }
    do throws(OpenIDFailure) {
      let answer = try await untraced(request)
      span?.attributes["http.response.status_code"] = Int(answer.status)
      return answer
    } catch {
      span?.recordError(error)
      span?.setStatus(SpanStatus(code: .error))
      throw error
    }
  }

  private func untraced(_ request: HTTPClientRequest) async throws(OpenIDFailure) -> (status: UInt, body: Data) {
    let timeout = timeout
    let late = OpenIDFailure.unreachable("it took longer than \(Int(timeout.seconds.rounded(.up))) s")
    do {
      return try await withThrowingTaskGroup(of: (status: UInt, body: Data).self) { group in
        defer { group.cancelAll() }
        group.addTask {
          let response = try await Self.client.execute(request, timeout: .nanoseconds(Int64(timeout.seconds * 1e9)))
          let body = try await response.body.collect(upTo: Self.maximumSize)
          return (response.status.code, Data(body.readableBytesView))
        }
        group.addTask {
          try await Task.sleep(for: timeout)
          throw late
        }
        guard let first = try await group.next() else { throw CancellationError() }
        return first
      }
    } catch let failure as OpenIDFailure {
      throw failure
    } catch let error as HTTPClientError where [.deadlineExceeded, .connectTimeout].contains(error) {
      throw late
    } catch is NIOTooManyBytesError {
      throw .unexpected("at most \(Self.maximumSize) bytes, got more")
    } catch {
      throw .unreachable(error.loggedName)
    }
  }
}
