public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

extension URLSession {
  /// The answer to a request, also when the calling task is cancelled meanwhile.
  ///
  /// On Linux `data(for:)` may hang for ever in a task that is cancelled as the answer arrives, and with it a thread of
  /// Swift's pool: the cancellation holds the task's lock and waits for the session's queue, on which the answer waits
  /// for that lock (Swift 6.3.1).
  public func answer(to request: URLRequest) async throws -> (Data, URLResponse) {
    try await Task { try await data(for: request) }.value
  }
}
