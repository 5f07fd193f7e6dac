public import Foundation

/// Asks the store for the account's purchases in this app, signed (contract, section 1.6). Keep it while it runs:
/// dropping it cancels it silently.
@preconcurrency @MainActor
public protocol OnsideSignedInAppsHistoryRequest: AnyObject, Sendable {
  /// Hears of the outcome. Held weakly.
  var delegate: (any OnsideSignedInAppsHistoryRequestDelegate)? { get set }
  /// Starts the request; a second time does nothing.
  func start()
  /// Stops it; the delegate hears `.cancelled`, unless it has ended already.
  func stop()
}

/// Hears of a history request: a history or a failure, one of the two (contract, section 1.6).
@preconcurrency @MainActor
public protocol OnsideSignedInAppsHistoryRequestDelegate: AnyObject {
  /// The signed history.
  func onsideSignedInAppsHistoryRequest(
    _ request: any OnsideSignedInAppsHistoryRequest, didReceive history: OnsideSignedInAppsHistory)
  /// Why there is none.
  func onsideSignedInAppsHistoryRequest(
    _ request: any OnsideSignedInAppsHistoryRequest, didFailWithError error: OnsideSignedInAppsHistoryRequestError)
}

/// The account's purchases in this app as a compact JWS (RFC 7515, ES256), to be verified by the app's own server with
/// the store's key set.
public struct OnsideSignedInAppsHistory: Sendable, Hashable {
  /// The bytes of the JWS.
  public let data: Data

  /// Wraps the bytes of a JWS.
  public init(data: Data) { self.data = data }

  /// The JWS as text; `nil` when the bytes are not UTF-8.
  public var string: String? { String(validating: data, as: UTF8.self) }
}

/// A history request of one client.
@MainActor
final class SignedInAppsHistoryRequest: OnsideSignedInAppsHistoryRequest {
  typealias Outcome = Result<OnsideSignedInAppsHistory, OnsideSignedInAppsHistoryRequestError>

  weak var delegate: (any OnsideSignedInAppsHistoryRequestDelegate)?
  private let run: RequestRun<OnsideSignedInAppsHistory, OnsideSignedInAppsHistoryRequestError>

  init(_ work: @escaping @MainActor @Sendable () async -> Outcome) { run = RequestRun(work) }

  func start() {
    run.start { [weak self] result in self?.deliver(result) }
  }

  func stop() {
    if run.stop() { deliver(.failure(.cancelled)) }
  }

  private func deliver(_ result: Outcome) {
    switch result {
    case .success(let history): delegate?.onsideSignedInAppsHistoryRequest(self, didReceive: history)
    case .failure(let error): delegate?.onsideSignedInAppsHistoryRequest(self, didFailWithError: error)
    }
  }
}
