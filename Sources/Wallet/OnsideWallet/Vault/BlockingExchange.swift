import Dispatch
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One HTTP exchange, for which the thread that asks waits: no cookies, no cache, no redirects, a limit on the answer
/// and a deadline for all of it.
final class BlockingExchange: NSObject, URLSessionDataDelegate, Sendable {
  private struct State {
    var body = Data()
    var status: Int?
    var error: (any Error)?
  }

  private let limit: Int
  private let isDone = DispatchSemaphore(value: 0)
  private let state = Mutex(State())

  private init(limit: Int) { self.limit = limit }

  /// Why there is no answer.
  enum Failure: Error, CustomStringConvertible {
    case none(String)
    case tooLong(Int)

    var description: String {
      switch self {
      case .none(let why): why
      case .tooLong(let limit): "an answer of more than \(limit) bytes"
      }
    }
  }

  /// The status and the body, of at most `limit` bytes; `deadline` in seconds.
  static func run(_ request: URLRequest, deadline: TimeInterval, limit: Int) throws(Failure) -> (Int, Data) {
    let exchange = BlockingExchange(limit: limit)
    let session = URLSession(configuration: configuration(deadline), delegate: exchange, delegateQueue: nil)
    let task = session.dataTask(with: request)
    // `invalidateAndCancel` reads the session's tasks while one that has just ended is removed from them, and has
    // crashed for that (Swift 6.3.1 on Linux).
    defer {
      task.cancel()
      session.finishTasksAndInvalidate()
    }
    task.resume()
    guard exchange.isDone.wait(timeout: .now() + deadline) == .success else {
      throw .none("no answer within \(Int(deadline)) s")
    }
    let state = exchange.state.withLock { $0 }
    guard state.body.count <= limit else { throw .tooLong(limit) }
    if let error = state.error { throw .none(error.localizedDescription) }
    guard let status = state.status else { throw .none("no status") }
    return (status, state.body)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let isTooLong = state.withLock { state in
      state.body.append(data)
      return state.body.count > limit
    }
    if isTooLong { isDone.signal() }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    state.withLock { state in
      state.status = (task.response as? HTTPURLResponse)?.statusCode
      state.error = error
    }
    isDone.signal()
  }

  private static func configuration(_ deadline: TimeInterval) -> URLSessionConfiguration {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpCookieStorage = nil
    configuration.urlCache = nil
    configuration.urlCredentialStorage = nil
    configuration.timeoutIntervalForRequest = deadline * 2
    return configuration
  }
}

extension BlockingExchange {
  /// The same on a thread that may block.
  static func answer(
    _ request: URLRequest, deadline: TimeInterval, limit: Int
  ) async throws -> (status: Int, body: Data) {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global(qos: .userInitiated).async {
        continuation.resume(with: Result { try run(request, deadline: deadline, limit: limit) })
      }
    }
  }
}
