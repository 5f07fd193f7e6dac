public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

extension URLSession {
  /// The answer to a request, which is repeated while the store is busy.
  public func answer(to request: URLRequest) async throws -> (Data, URLResponse) {
    try await answer { request }
  }

  /// The same for a request that each attempt makes anew, such as one whose signature is good for one attempt.
  public func answer(making request: @Sendable () throws -> URLRequest) async throws -> (Data, URLResponse) {
    let name = try request().url?.path() ?? "a request without an address"
    return try await repeatedWhileBusy(name) {
      let request = try request()
      let (data, response) = try await singleAnswer(to: request)
      let http = response as? HTTPURLResponse
      return StoreAnswer(
        (data, response), status: http?.statusCode ?? 0, retryAfter: http?.value(forHTTPHeaderField: "Retry-After"))
    }
  }

  /// The answer to a request, also when the calling task is cancelled meanwhile.
  ///
  /// On Linux `data(for:)` may hang for ever in a task that is cancelled as the answer arrives, and with it a thread of
  /// Swift's pool: the cancellation holds the task's lock and waits for the session's queue, on which the answer waits
  /// for that lock (Swift 6.3.1).
  private func singleAnswer(to request: URLRequest) async throws -> (Data, URLResponse) {
    try await Task { try await data(for: request) }.value
  }
}
