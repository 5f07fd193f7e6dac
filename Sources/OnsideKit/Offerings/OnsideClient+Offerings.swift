import Foundation
import Logging
import OnsideAPI
import OnsideCommerce

extension OnsideClient {
  /// The groups of products that the operator has put together: see ``Onside/offerings()``.
  public func offerings() async throws(OnsideProductsRequestError) -> OnsideOfferings {
    let file = OfferingFile(
      owner: Self.fileOwner(configuration), app: configuration?.appIdentifier, dependencies: dependencies)
    let (asking, country) = (account.signedIn?.accountID, account.countryForProducts)
    do {
      let offerings = try await offeringsOfStore()
      await Task.detached { file.write(offerings, for: asking, in: country) }.value
      return offerings
    } catch {
      guard error == .connectionError || error == .serviceUnavailable,
        let kept = await Task.detached(operation: { file.read(for: asking, in: country) }).value
      else { throw error }
      return kept
    }
  }

  /// The offerings as the store tells them now.
  private func offeringsOfStore() async throws(OnsideProductsRequestError) -> OnsideOfferings {
    let message = try await offeringsMessage()
    let response = try await products(for: Set(message.offerings.flatMap(\.productIDs)))
    let products = Dictionary(response.products.map { ($0.productIdentifier, $0) }) { first, _ in first }
    let offerings = message.offerings.map { offering in
      OnsideOffering(
        id: offering.id, metadata: offering.metadata, products: offering.productIDs.compactMap { products[$0] })
    }
    let sold = offerings.filter { !$0.products.isEmpty }
    return OnsideOfferings(all: sold, currentIdentifier: message.current, date: dependencies.now())
  }

  private func offeringsMessage() async throws(OnsideProductsRequestError) -> OfferingsMessage {
    do {
      let message = try await withDeadline(StoreConnection.deadline, sleep: dependencies.sleep) { [store] in
        try await store.offerings()
      }
      if let message { return message }
    } catch {
      let error = error as? StoreError ?? .cancelled
      if let detail = error.detail { dependencies.logger.error("Offerings could not be loaded: \(detail)") }
      throw OnsideProductsRequestError(error)
    }
    throw .connectionError
  }
}
