import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The HTTP exchanges of one `URLSession`, with a limit on each answer's size. A redirect is returned as the answer: no
/// endpoint of ours redirects, and tokens are sent nowhere else.
///
/// The session's own `data(for:delegate:)` will not do: on Linux it follows redirects without asking its delegate, and
/// a task's own delegate gets redirects only.
final class HTTPExchanges: NSObject, URLSessionDataDelegate, Sendable {
  fileprivate struct Exchange {
    let continuation: CheckedContinuation<HTTPAnswer, any Error>
    var body = Data()
    var head: Head?
    var isTooLarge = false
  }

  /// An answer before its body.
  fileprivate struct Head {
    let status: Int
    let headers: [String: String]

    init?(_ response: URLResponse?) {
      guard let response = response as? HTTPURLResponse else { return nil }
      self.init(response)
    }

    init(_ response: HTTPURLResponse) {
      status = response.statusCode
      headers = response.allHeaderFields.reduce(into: [:]) { headers, field in
        if let name = field.key as? String { headers[name.lowercased()] = field.value as? String }
      }
    }
  }

  private let limit: Int
  private let running = Mutex<[Int: Exchange]>([:])

  init(limit: Int) { self.limit = limit }

  /// Sends the task's request. Throws `URLError` when no answer came, also when the Swift task is cancelled.
  ///
  /// Cancelling ends the exchange here, independent of the session's task: on Linux a task that is cancelled at the
  /// wrong moment never reports its end.
  func run(_ task: URLSessionDataTask) async throws -> HTTPAnswer {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        running.withLock { $0[task.taskIdentifier] = Exchange(continuation: continuation) }
        if Task.isCancelled { cancel(task) } else { task.resume() }
      }
    } onCancel: {
      cancel(task)
    }
  }

  private func cancel(_ task: URLSessionDataTask) {
    task.cancel()
    let ended = running.withLock { $0.removeValue(forKey: task.taskIdentifier) }
    ended?.continuation.resume(throwing: URLError(.cancelled))
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    #if canImport(FoundationNetworking)
      // Foundation on Linux ends the process when the task is cancelled before this answer reaches it. So the
      // completion handler is not called, and the exchange ends here.
      let ended = running.withLock { $0.removeValue(forKey: task.taskIdentifier) }
      let head = Head(response)
      ended?.continuation.resume(returning: HTTPAnswer(status: head.status, headers: head.headers))
      task.cancel()
    #else
      completionHandler(nil)
    #endif
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    let head = Head(response)
    running.withLock { $0[dataTask.taskIdentifier]?.head = head }
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let isTooLarge = running.withLock { $0[dataTask.taskIdentifier]?.add(data, limit: limit) } ?? false
    if isTooLarge { dataTask.cancel() }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    guard let ended = running.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
    if ended.isTooLarge {
      let problem = StoreError.internalError("expected an answer of at most \(limit) bytes, got a larger one")
      ended.continuation.resume(throwing: problem)
    } else if let error {
      ended.continuation.resume(throwing: error)
    } else if let head = ended.head ?? Head(task.response) {
      // On Linux the delegate does not get the response of a redirect without an address; the task has it.
      ended.continuation.resume(returning: HTTPAnswer(status: head.status, headers: head.headers, body: ended.body))
    } else {
      ended.continuation.resume(throwing: StoreError.internalError("expected a status, got an answer without one"))
    }
  }
}

extension HTTPExchanges.Exchange {
  /// Appends a part of the body; returns whether the body is too large.
  fileprivate mutating func add(_ data: Data, limit: Int) -> Bool {
    if body.count + data.count > limit { isTooLarge = true } else { body += data }
    return isTooLarge
  }
}
