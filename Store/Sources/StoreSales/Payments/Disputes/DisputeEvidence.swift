import Foundation
import OnsideCommerce
public import StoreBase

/// What the store knows of a disputed purchase, as one self-contained page to print or send to the bank: the order,
/// its receipt, where the buyer is, and its story.
public struct DisputeEvidence: Sendable {
  private let dispute: Dispute
  private let order: OrderListing
  private let receipt: ReceiptFacts
  private let story: PurchaseStory

  /// The evidence of a dispute; nil for an unknown one.
  public init?(of dispute: String, in connection: any SQLConnection) throws {
    guard let dispute = try DisputeRecords.dispute(dispute, in: connection),
      let order = try OrderListing.order(dispute.orderID.lowercase, in: connection)
    else { return nil }
    self.dispute = dispute
    self.order = order
    receipt = try ReceiptFacts(of: dispute.orderID, in: connection)
    story = try PurchaseStory(of: dispute.orderID, in: connection)
  }

  /// The document.
  ///
  /// - Parameter seller: the legal entity that sold.
  public func html(seller: String) -> String {
    """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
    <title>Dispute \(dispute.id.escaped)</title>
    <style>\(Self.style)</style>
    </head>
    <body>
    <main>
    <h1>Evidence for a dispute</h1>
    <p>From \(seller.escaped). Times are UTC.</p>
    <table class="facts">
    \(facts.map { "<tr><th scope=\"row\">\($0)</th><td>\($1.escaped)</td></tr>" }.joined(separator: "\n"))
    </table>
    <h2>What happened</h2>
    <table>
    <thead><tr><th scope="col">Time</th><th scope="col">Event</th></tr></thead>
    <tbody>
    \(story.events.map { "<tr><td>\($0.date.ISO8601Format())</td><td>\($0.text.escaped)</td></tr>" }
      .joined(separator: "\n"))
    </tbody>
    </table>
    </main>
    </body>
    </html>

    """
  }

  private var facts: [(String, String)] {
    let evidence = receipt.tax?.evidence
    let facts: [(String, String?)] = [
      ("Dispute", dispute.id), ("State", dispute.state.rawValue), ("Reason given", dispute.reason),
      ("Disputed amount", "\(dispute.amount)"), ("Answer by", dispute.answerBy?.ISO8601Format()),
      ("Payment", dispute.paymentID), ("Order", order.id), ("Product", order.product), ("App", order.app),
      ("Quantity", "\(order.quantity)"), ("Price", "\(order.price)"), ("Region of the account", order.country),
      ("Account", order.account),
      ("Receipt", receipt.number?.description), ("Country of the phone number", evidence?.number?.alpha2),
      ("Country of the card", evidence?.card?.alpha2), ("Country of the network", evidence?.network?.alpha2),
    ]
    return facts.compactMap { name, value in value.map { (name, $0) } }
  }

  private static let style = """
    :root{color-scheme:light dark;font:1rem/1.5 system-ui,sans-serif}
    body{margin:0;padding:1.5rem}
    main{max-width:50rem;margin:0 auto}
    h1{font-size:1.5rem;margin:0}
    h2{font-size:1.125rem;margin:2rem 0 .5rem}
    table{border-collapse:collapse;width:100%}
    th,td{padding:.375rem .5rem;border-bottom:1px solid #8884;text-align:start;vertical-align:top}
    th{font-weight:600}
    td:first-child,.facts th{white-space:nowrap;width:1%}
    td{overflow-wrap:anywhere;font-variant-numeric:tabular-nums}
    @media print{@page{margin:15mm}:root{color-scheme:light;font-size:10pt}body{padding:0}tr{break-inside:avoid}}
    """
}
