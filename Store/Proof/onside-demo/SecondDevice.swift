import Foundation
import OnsideKit

/// The second device of the same account: restores what is owned.
@MainActor
struct SecondDevice {
  let app: AppObserver

  func run() async throws {
    let queue = Onside.defaultPaymentQueue()
    queue.add(observer: app)
    try await queue.restoreCompletedTransactions()
    let restored = try await app.transaction(of: "remove_ads", .restored)
    _ = try await app.next("the end of the restore") { if case .restoreFinished = $0 { true } else { false } }
    let products = app.heard.compactMap { $0.update?.payment.product.productIdentifier }
    try expect(Set(products) == ["remove_ads"], "restored \(products), expected the non-consumable only")
    try expect(restored.originalTransactionIdentifier != nil, "the restored purchase does not name its original")
    queue.finishTransaction(restored)
    try await app.removal(of: restored)
    Report.step(
      "second device",
      proof: "a known number needs no sign-up; "
        + "remove_ads restored (order \(restored.originalTransactionIdentifier ?? "")), the consumable is not"
    )
  }
}
