import OnsideKit

/// Writes down what a products request tells.
@MainActor
final class ProductsListener: OnsideProductsRequestDelegate {
  enum Heard: Hashable {
    case received
    case finished
    case failed(OnsideProductsRequestError)
  }

  private(set) var response: OnsideProductsResponse?
  private(set) var heard: [Heard] = []
  private let end = Latch()

  /// Waits until the request has ended, either way.
  func ended() async throws { try await end.passed() }

  func onsideProductsRequest(_ request: any OnsideProductsRequest, didReceive response: OnsideProductsResponse) {
    self.response = response
    heard.append(.received)
  }

  func onsideProductsRequestDidFinish(_ request: any OnsideProductsRequest) {
    heard.append(.finished)
    end.open()
  }

  func onsideProductsRequest(
    _ request: any OnsideProductsRequest, didFailWithError error: OnsideProductsRequestError
  ) {
    heard.append(.failed(error))
    end.open()
  }
}
