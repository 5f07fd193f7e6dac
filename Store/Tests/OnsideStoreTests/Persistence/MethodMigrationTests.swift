import Foundation
import OnsideCommerce
import StoreTestSupport
import Testing

@testable import OnsideStore
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales

/// The migration that gives each subscription one payment method, with data that the fixture does not have.
@Suite("Payment methods of a database of schema 321", .timeLimit(.minutes(5)))
struct MethodMigrationTests {
  private static let account = "019ba533-e400-7364-b179-6e5c40a83ec2"
  private static let purchase = (
    order: "019ca6b1-dc00-752c-92c8-c5d39f95bd04", payment: "019ca6b1-dc00-752d-8fcc-29e3ce8fc936"
  )
  private static let ahead = "019cbb4b-4c00-772f-8e5d-e3b251a56869"

  /// The kind `paid-ahead` of the fixture: the purchase saved one card, the offer that was paid ahead with another card
  /// was refunded, and the other card was handed on to the purchase's payment.
  private static let refunded = [
    """
    UPDATE payment_methods SET id = '\(purchase.payment)', reference = 'callback_twice', brand = 'Mastercard'
    WHERE account_id = '\(account)'
    """,
    "UPDATE payments SET kept_method = 'late_callback', kept_brand = 'Visa', kept_last_four = '1881' "
      + "WHERE id IN ('\(purchase.payment)', '\(ahead)')",
    "UPDATE subscriptions SET last_order_id = '\(purchase.order)' WHERE account_id = '\(account)'",
  ]

  @Test(
    "STO-8: a subscription whose paid-ahead offer was refunded renews with the card that was kept last",
    arguments: TestEngine.allCases)
  func paidAheadAndRefunded(engine: TestEngine) async throws {
    let folder = try TemporaryFolder()
    try await SubscriptionFixture.write(to: engine, in: folder)
    let old = try await engine.open(in: folder, OlderStore.migrations(upTo: SubscriptionFixture.schema))
    try await old.write { for statement in Self.refunded { try $0.execute(statement) } }
    await old.close()
    let database = try await engine.open(in: folder, Migration.all, now: FixtureShop.end)
    let (methods, method) = try await database.read { connection in
      let methods = try PaymentMethodRecords.all(of: Self.account, in: connection)
      let known = try SubscriptionRecords.subscriptions(of: Self.account, in: connection).first
      return (methods, methods.first { $0.id == known?.method })
    }
    #expect(method?.details.reference == "late_callback" && method?.isSaved == false)
    #expect(Set(methods.map(\.details.reference)) == ["callback_twice", "late_callback"])
    await database.close()
  }
}
