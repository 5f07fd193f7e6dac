import OnsideKit

// What the samples leave to the app.

extension ReadmeSample.Shop: Sample {}
extension GettingStartedSample.Shop: Sample {}

/// An app that delivers and takes back.
@MainActor
protocol Sample: OnsidePaymentTransactionObserver {}

extension Sample {
  func deliver(_ transaction: OnsidePaymentTransaction) { Receipts.of(self).delivered.append(transaction) }
  func takeBack(_ transaction: OnsidePaymentTransaction) { Receipts.of(self).takenBack.append(transaction) }
}

/// What a sample has delivered and taken back. A sample has no properties of its own.
@MainActor
final class Receipts {
  var delivered: [OnsidePaymentTransaction] = []
  var takenBack: [OnsidePaymentTransaction] = []
  private weak var app: (any Sample)?
  private static var all: [Receipts] = []

  private init(_ app: any Sample) { self.app = app }

  static func of(_ app: any Sample) -> Receipts {
    all.removeAll { $0.app == nil }
    if let known = all.first(where: { $0.app === app }) { return known }
    let receipts = Receipts(app)
    all.append(receipts)
    return receipts
  }
}
