import Foundation
import OnsideKit

// From README.md, by `script/check-samples --write`.
enum ReadmeSample {
  /// Delivers each purchase once, and takes back only what it has delivered.
  @MainActor
  final class Shop: OnsidePaymentTransactionObserver {
    /// Written to one file at once, so that a crash never leaves coins without the purchases that they come from.
    private struct Saved: Codable {
      var coins = 0
      var delivered: Set<String> = []
    }

    private let file: URL
    private var saved = Saved()
    var coins: Int { saved.coins }

    init(file: URL) throws {
      self.file = file
      guard FileManager.default.fileExists(atPath: file.path) else { return }
      saved = try JSONDecoder().decode(Saved.self, from: Data(contentsOf: file))
    }

    /// Call it once, at launch, after `Onside.initialize`.
    static func start(file: URL) throws -> Shop {
      let shop = try Shop(file: file)
      Onside.defaultPaymentQueue().add(observer: shop)
      return shop
    }

    /// The result is for the user interface; nil if the product is not sold. The observer below delivers.
    func buy(_ identifier: String) async throws -> OnsidePurchaseResult? {
      guard let product = try await Onside.products(for: [identifier]).products.first else { return nil }
      return try await Onside.defaultPaymentQueue().purchase(product)  // logs in if need be
    }

    func onsidePaymentQueue(_ queue: any OnsidePaymentQueue, updatedTransactions: [OnsidePaymentTransaction]) {
      for transaction in updatedTransactions {
        switch transaction.transactionState {
        case .purchased, .restored:
          guard deliver(transaction) else { continue }
          queue.finishTransaction(transaction)  // until then it comes back at every launch
        case .failed:
          queue.finishTransaction(transaction)  // declined or cancelled: nothing is delivered
        case .purchasing:
          break  // not paid yet
        }
      }
    }

    func onsidePaymentQueue(_ queue: any OnsidePaymentQueue, revokedTransactions: [OnsidePaymentTransaction]) {
      for transaction in revokedTransactions { takeBack(transaction) }  // refunded
    }

    /// True if the purchase is delivered and saved, now or before.
    private func deliver(_ transaction: OnsidePaymentTransaction) -> Bool {
      var next = saved
      guard next.delivered.insert(purchase(of: transaction)).inserted else { return true }
      next.coins += coins(in: transaction)
      return save(next)
    }

    private func takeBack(_ transaction: OnsidePaymentTransaction) {
      var next = saved
      guard next.delivered.remove(purchase(of: transaction)) != nil else { return }
      next.coins -= coins(in: transaction)
      saved = next  // a refund comes once: if the disk is full, the next save writes it
      _ = save(next)
    }

    /// A product that is bought again while it is owned is a transaction of the same purchase.
    private func purchase(of transaction: OnsidePaymentTransaction) -> String {
      transaction.transactionIdentifier ?? transaction.id.uuidString
    }

    private func coins(in transaction: OnsidePaymentTransaction) -> Int {
      let payment = transaction.payment
      return payment.product.productIdentifier == "coins_100" ? 100 * payment.quantity : 0
    }

    private func save(_ next: Saved) -> Bool {
      guard (try? JSONEncoder().encode(next).write(to: file, options: .atomic)) != nil else { return false }
      saved = next
      return true
    }
  }
}
