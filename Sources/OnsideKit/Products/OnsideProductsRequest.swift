/// A request for products (contract, section 1.5). Keep it while it runs: releasing it cancels it silently.
@preconcurrency @MainActor
public protocol OnsideProductsRequest: AnyObject, Sendable {
  /// Receives the outcome. Held weakly.
  var delegate: (any OnsideProductsRequestDelegate)? { get set }
  /// Starts the request; a second time does nothing.
  func start()
  /// Stops it; the delegate gets `.cancelled`, unless the request has ended already.
  func stop()
}

/// The delegate of a products request: gets a response and the end, or a failure alone (contract, section 1.5).
@preconcurrency @MainActor
public protocol OnsideProductsRequestDelegate: AnyObject {
  /// The products that were found.
  func onsideProductsRequest(_ request: any OnsideProductsRequest, didReceive response: OnsideProductsResponse)
  /// The request failed; no other call follows. Unless implemented, the method with the name of releases before 1.0 is
  /// called.
  func onsideProductsRequest(
    _ request: any OnsideProductsRequest, didFailWithError error: OnsideProductsRequestError)
  /// The name of `onsideProductsRequest(_:didFailWithError:)` in releases before 1.0. It is called only when the
  /// delegate does not implement the present one; does nothing unless implemented.
  func onsideProductsRequestRequest(
    _ request: any OnsideProductsRequest, didFailWithError error: OnsideProductsRequestError)
  /// The end, after a response.
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
