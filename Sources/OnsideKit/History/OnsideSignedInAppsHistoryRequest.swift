public import Foundation

/// A request for the account's purchases in this app, signed by the store (contract, section 1.6).
///
/// Made by ``Onside/makeSignedInAppsHistoryRequest()``, which has a sample. It runs once. Keep it while it runs:
/// releasing the last reference cancels it without a callback.
@preconcurrency @MainActor
public protocol OnsideSignedInAppsHistoryRequest: AnyObject, Sendable {
  /// The delegate that receives the outcome. Held weakly; set it before ``start()``.
  var delegate: (any OnsideSignedInAppsHistoryRequestDelegate)? { get set }
  /// Starts the request; a second call does nothing. The delegate is called once, later, within 15 s.
  func start()
  /// Stops the request: the delegate gets `.cancelled`, once, before this returns. Silent when the request has not
  /// started or has ended already.
  func stop()
}

/// The delegate of a history request: gets a history or a failure, one of the two, once (contract, section 1.6).
@preconcurrency @MainActor
public protocol OnsideSignedInAppsHistoryRequestDelegate: AnyObject {
  /// The signed history; the request has ended. Send it to the app's server, which verifies it.
  func onsideSignedInAppsHistoryRequest(
    _ request: any OnsideSignedInAppsHistoryRequest, didReceive history: OnsideSignedInAppsHistory)
  /// The reason why there is no history; the request has ended.
  func onsideSignedInAppsHistoryRequest(
    _ request: any OnsideSignedInAppsHistoryRequest, didFailWithError error: OnsideSignedInAppsHistoryRequestError)
}

/// The purchase history of an account in this app as a compact JWS (RFC 7515, ES256), for the app's own server.
///
/// The server verifies the signature offline with the store's published key set (JWKS), by the `kid` of the header,
/// with `OnsideVerifier` of the library OnsideVerify or with any JOSE library; the payload is the documented
/// `TransactionHistory` (HIS-1). The app itself need not read it.
public struct OnsideSignedInAppsHistory: Sendable, Hashable {
  /// The bytes of the JWS: ASCII, three parts in base64url with dots between them.
  public let data: Data

  /// Wraps the bytes of a JWS, without verifying them.
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
