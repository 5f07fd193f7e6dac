import Foundation
import OnsideCommerce

/// A payment to add, with the values that are made outside of the machine.
struct AddRequest: Hashable, Sendable {
  /// The call that waits for the pre-flight.
  let call: CallID
  let payment: OnsidePayment
  /// The id of the transaction that it becomes.
  let id: UUID
  let date: Date
  /// The region in which products are shown while signed out; nil when an account is signed in.
  let provisionalCountry: CountryCode?

  /// The region in which the product was fetched, whatever account is signed in (GAT-1); nil for a product without a
  /// country.
  var fetchedCountry: CountryCode? { payment.product.storefrontCountryCode.flatMap(CountryCode.init(alpha2:)) }
  /// The region whose price the user has seen before a login on demand.
  var shownCountry: CountryCode? { fetchedCountry ?? provisionalCountry }
}
