/// A request for products and their prices, made by ``Onside/makeProductsRequest(productIdentifiers:)`` (contract,
/// section 1.5).
///
/// It runs once. Keep it while it runs: releasing the last reference cancels it without a callback (PRD-4).
/// ``Onside/products(for:)`` is the form without a delegate.
///
/// ```swift
/// let request = Onside.makeProductsRequest(productIdentifiers: ["coins_100", "pro_yearly"])
/// request.delegate = self
/// request.start()
/// self.request = request
/// ```
@preconcurrency @MainActor
public protocol OnsideProductsRequest: AnyObject, Sendable {
  /// The delegate that receives the outcome. Held weakly; set it before ``start()``.
  var delegate: (any OnsideProductsRequestDelegate)? { get set }
  /// Starts the request; a second call does nothing, also after the end.
  ///
  /// The delegate is called later, on the main actor, within 15 s: with a response and the end, or with a failure alone
  /// (PRD-3).
  func start()
  /// Stops the request: the delegate gets `.cancelled`, once, before this returns.
  ///
  /// Silent when the request has not started or has ended already. A stopped request cannot be started again.
  func stop()
}

/// The delegate of a products request: gets a response and then the end, or a failure alone (contract, section 1.5).
///
/// Only `didReceive` has no default.
@preconcurrency @MainActor
public protocol OnsideProductsRequestDelegate: AnyObject {
  /// The products that were found and the identifiers that name none. The call of the end follows directly.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - response: two lists; the products are of the region in which the request was started.
  func onsideProductsRequest(_ request: any OnsideProductsRequest, didReceive response: OnsideProductsResponse)
  /// The request has failed or was stopped; no other call follows (PRD-3).
  ///
  /// Unless implemented, the method with the name of releases before 1.0 is called (API-1).
  ///
  /// - Parameters:
  ///   - request: the request. Make another one to try again.
  ///   - error: the reason; ``OnsideProductsRequestError/cancelled`` after ``OnsideProductsRequest/stop()``.
  func onsideProductsRequest(
    _ request: any OnsideProductsRequest, didFailWithError error: OnsideProductsRequestError)
  /// The name of `onsideProductsRequest(_:didFailWithError:)` in releases before 1.0.
  ///
  /// It is called only when the delegate does not implement the present one; does nothing unless implemented.
  func onsideProductsRequestRequest(
    _ request: any OnsideProductsRequest, didFailWithError error: OnsideProductsRequestError)
  /// The end of a request, after its response; not called after a failure. The request may be released here.
  func onsideProductsRequestDidFinish(_ request: any OnsideProductsRequest)
}

extension OnsideProductsRequestDelegate {
  /// Calls the method of the older name.
  public func onsideProductsRequest(
    _ request: any OnsideProductsRequest, didFailWithError error: OnsideProductsRequestError
  ) {
    onsideProductsRequestRequest(request, didFailWithError: error)
  }
  /// Does nothing.
  public func onsideProductsRequestRequest(
    _ request: any OnsideProductsRequest, didFailWithError error: OnsideProductsRequestError
  ) {}
  /// Does nothing.
  public func onsideProductsRequestDidFinish(_ request: any OnsideProductsRequest) {}
}

/// A products request of one client.
@MainActor
final class ProductsRequest: OnsideProductsRequest {
  weak var delegate: (any OnsideProductsRequestDelegate)?
  private let run: RequestRun<OnsideProductsResponse, OnsideProductsRequestError>

  init(_ work: @escaping @MainActor @Sendable () async -> Result<OnsideProductsResponse, OnsideProductsRequestError>) {
    run = RequestRun(work)
  }

  func start() {
    run.start { [weak self] result in self?.deliver(result) }
  }

  func stop() {
    if run.stop() { deliver(.failure(.cancelled)) }
  }

  private func deliver(_ result: Result<OnsideProductsResponse, OnsideProductsRequestError>) {
    switch result {
    case .success(let response):
      delegate?.onsideProductsRequest(self, didReceive: response)
      delegate?.onsideProductsRequestDidFinish(self)
    case .failure(let error):
      delegate?.onsideProductsRequest(self, didFailWithError: error)
    }
  }
}
