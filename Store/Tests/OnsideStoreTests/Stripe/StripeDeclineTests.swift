import Foundation
import OnsideAPI
import OnsideCommerce
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StorePayments
@testable import StoreSales
@testable import StoreStripe

@Suite("Stripe: what to do after a decline")
struct StripeDeclineTests {
  @Test("PAY-2: a saved card is not declined by a price that is below Stripe's least charge")
  func unchargeable() async throws {
    try await StripeStore.run { shop in
      let saved = try await shop.save()
      let coins = Product(
        id: "coins", kind: .consumable, referenceName: "coins", prices: [.netherlands: try TestShop.money(10)])
      try await shop.store.core.catalogue.replace(try Catalogue(products: [coins]), of: TestShop.app.id)
      let order = try await shop.order()
      let outcome = try await shop.pay(order, with: .saved(saved.id))
      #expect(outcome == .unchargeable)
      let isDeclined = try await shop.methods().map(\.isDeclined)
      #expect(isDeclined == [false])
      let stage = try await shop.stage(order)
      #expect(stage == .open)
    }
  }

  @Test(
    "A decline code has its consequence",
    arguments: [
      ("lost_card", .stop), ("stolen_card", .stop), ("pickup_card", .stop), ("restricted_card", .stop),
      ("expired_card", .stop), ("incorrect_number", .stop), ("invalid_account", .stop),
      ("revocation_of_authorization", .stop), ("stop_payment_order", .stop), ("fraudulent", .stop),
      ("insufficient_funds", .later), ("do_not_honor", .later), ("generic_decline", .later),
      ("try_again_later", .later), ("processing_error", .later), ("issuer_not_available", .later),
      ("authentication_required", .askBuyer), ("incorrect_cvc", .askBuyer), ("a_code_of_next_year", .later),
    ] as [(String, StripeDecline.Consequence)])
  func codes(code: String, consequence: StripeDecline.Consequence) {
    #expect(StripeDecline(code: "card_declined", declineCode: code).consequence == consequence)
    // Some codes come without a decline code.
    #expect(StripeDecline(code: code).consequence == consequence)
  }

  @Test("The bank's advice decides where the code leaves it open")
  func advice() {
    let decline = { StripeDecline(code: "card_declined", declineCode: $0, adviceCode: $1).consequence }
    #expect(decline("generic_decline", "do_not_try_again") == .stop)
    #expect(decline("do_not_honor", "confirm_card_data") == .askBuyer)
    #expect(decline("generic_decline", "try_again_later") == .later)
    #expect(decline("lost_card", "try_again_later") == .stop)
    #expect(decline("authentication_required", "do_not_try_again") == .askBuyer)
  }
}
