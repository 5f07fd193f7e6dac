import Foundation
import OnsideKit
import Testing

// The README's integration begins here; the test compares.
final class Shop: OnsidePaymentTransactionObserver {
  func start() throws {
    Onside.initialize(
      configuration: try OnsideConfiguration(
        storeURL: URL(string: "http://127.0.0.1:8080")!, appIdentifier: "io.example.lumen"))
    Onside.defaultPaymentQueue().add(observer: self)
  }

  func buy(_ identifier: String) async throws {
    guard let product = try await Onside.products(for: [identifier]).products.first else { return }
    try await Onside.defaultPaymentQueue().add(OnsidePayment(product: product))  // logs in if need be
  }

  func onsidePaymentQueue(_ queue: any OnsidePaymentQueue, updatedTransactions: [OnsidePaymentTransaction]) {
    for transaction in updatedTransactions where transaction.transactionState != .purchasing {
      deliver(transaction)  // purchased, restored, or failed
      queue.finishTransaction(transaction)  // until then it comes back at every launch
    }
  }
}
// It ends here.

extension Shop {
  fileprivate func deliver(_ transaction: OnsidePaymentTransaction) {}
}

@Suite("README", .timeLimit(.minutes(5)))
struct ReadmeTests {
  @Test("the README's Swift is compiled as it stands there")
  func integration() throws {
    let here = URL(filePath: #filePath)
    let readme = here.deletingLastPathComponent().appending(path: "../../README.md").standardized
    let text = try String(contentsOf: readme, encoding: .utf8)
    let pattern = /(?s)## Sell in an app \(Swift\)\n\n```swift\nimport OnsideKit\n\n(.*?)```/
    let block = try #require(text.firstMatch(of: pattern)?.1)
    let source = try String(contentsOf: here, encoding: .utf8)
    let compiled = try #require(source.firstMatch(of: /(?s)begins here[^\n]*\n(.*?)\/\/ It ends here/)?.1)
    #expect(block == compiled)
  }
}
