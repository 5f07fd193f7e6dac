import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import StoreBase
import Tracing

/// Requests to Stripe's API: no redirects, and an end in time and bytes.
struct StripeHTTP: Sendable {
  /// The version of the API of which the objects here are.
  static let version = "2026-10-28.endive"
  static let maximumSize = 4 << 20

  let key: StripeKey
  /// Without a path: `https://api.stripe.com`.
  let address: String
  /// How long a call may take in all.
  let timeout: Duration

  // It lives as long as the process, as `HTTPClient.shared` does, which follows redirects and waits for a server that
  // refuses connections.
  private static let client: HTTPClient = {
    var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow, decompression: .disabled)
    configuration.connectionPool.retryConnectionEstablishment = false
    return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
  }()

  func get(_ path: String, form: StripeForm) async throws(StripeError) -> StripeAnswer {
    let query = form.encoded
    return try await answer(request(path + (query.isEmpty ? "" : "?" + query)))
  }

  func delete(_ path: String) async throws(StripeError) -> StripeAnswer {
    var request = request(path)
    request.method = .DELETE
    return try await answer(request)
  }

  func post(
    _ path: String, form: StripeForm, key: StripeIdempotencyKey
  ) async throws(StripeError) -> StripeAnswer {
    var request = request(path)
    request.method = .POST
    request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
    request.headers.add(name: "Idempotency-Key", value: key.description)
    request.body = .bytes(ByteBuffer(string: form.encoded))
    return try await answer(request)
  }

  private func request(_ path: String) -> HTTPClientRequest {
    var request = HTTPClientRequest(url: address + path)
    request.headers.add(name: "Accept", value: "application/json")
    request.headers.add(name: "Authorization", value: "Bearer \(key.value)")
    request.headers.add(name: "Stripe-Version", value: Self.version)
    request.headers.add(name: "User-Agent", value: "OnsideStore")
    return request
  }

  private func answer(_ request: HTTPClientRequest) async throws(StripeError) -> StripeAnswer {
    let span = StoreSpan.startChild("stripe \(request.method.rawValue)", ofKind: .client)
    defer { span?.end() }
    do throws(StripeError) {
      let answer = try await untraced(request)
      span?.attributes["http.response.status_code"] = Int(answer.status)
      return answer
    } catch {
      span?.recordError(error)
      span?.setStatus(SpanStatus(code: .error))
      throw error
    }
  }

  private func untraced(_ request: HTTPClientRequest) async throws(StripeError) -> StripeAnswer {
    let timeout = timeout
    let late = StripeError.noAnswer("it took longer than \(Int(timeout.seconds.rounded(.up))) s")
    do {
      return try await withThrowingTaskGroup(of: StripeAnswer.self) { group in
        defer { group.cancelAll() }
        group.addTask {
          let response = try await Self.client.execute(request, timeout: .nanoseconds(Int64(timeout.seconds * 1e9)))
          let body = try await response.body.collect(upTo: Self.maximumSize)
          return StripeAnswer(response, body: Data(body.readableBytesView))
        }
        group.addTask {
          try await Task.sleep(for: timeout)
          throw late
        }
        guard let first = try await group.next() else { throw CancellationError() }
        return first
      }
    } catch let error as StripeError {
      throw error
    } catch let error as HTTPClientError where [.deadlineExceeded, .connectTimeout].contains(error) {
      throw late
    } catch is NIOTooManyBytesError {
      throw .noAnswer("it is longer than \(Self.maximumSize) bytes")
    } catch {
      throw .noAnswer(error.loggedName)
    }
  }
}
