import Foundation
import HTTPTypes
import Hummingbird
import OnsideAPI
import OnsideCommerce
import StoreBase
import StoreWeb

/// Which part of a history is asked for: `limit` purchases behind the one that `cursor` names, the oldest first.
struct HistoryPage: Sendable {
  static let limits = 1...1000
  /// The limit of a request with a cursor alone.
  static let usualLimit = 100

  let limit: Int
  let position: Position?

  /// The place of a purchase in the order of a history.
  struct Position: Sendable {
    let milliseconds: Int64
    let order: String

    init(_ purchase: InAppPurchase) {
      milliseconds = purchase.purchaseDate.millisecondsSince1970
      order = purchase.orderID.lowercase
    }

    /// Reads what ``text`` gave; nil for anything else.
    init?(_ text: some StringProtocol) {
      guard let bytes = Base64URL.decode(text) else { return nil }
      let parts = String(decoding: bytes, as: UTF8.self).split(separator: " ")
      guard parts.count == 2, let milliseconds = Int64(parts[0]), let order = UUID(uuidString: String(parts[1])) else {
        return nil
      }
      (self.milliseconds, self.order) = (milliseconds, order.lowercase)
    }

    var text: String { Base64URL.encode(Array("\(milliseconds) \(order)".utf8)) }
  }

  /// The page that a request asks for; nil when it asks for the whole history.
  init?(_ request: Request) throws(Problem) {
    let parameters = request.uri.queryParameters
    let (limit, cursor) = (parameters["limit"], parameters["cursor"])
    if limit == nil, cursor == nil { return nil }
    guard let number = limit.map({ Int($0) }) ?? Self.usualLimit, Self.limits.contains(number) else {
      throw .invalidRequest("Expected limit from \(Self.limits.lowerBound) to \(Self.limits.upperBound).")
    }
    self.limit = number
    position = cursor.flatMap { Position($0) }
    if cursor != nil, position == nil { throw .invalidRequest("Expected the cursor of an earlier answer's Link.") }
  }

  /// The page out of what was read for it, which is one purchase more if there is another page, and where that goes
  /// on; nil after the last page.
  func cut(from purchases: [InAppPurchase]) -> (purchases: [InAppPurchase], next: Position?) {
    let page = Array(purchases.prefix(limit))
    return (page, purchases.count > limit ? page.last.map { Position($0) } : nil)
  }

  /// The header `Link` (RFC 8288) to the page that goes on from a position.
  func link(to next: Position) -> String {
    "</v1/history?limit=\(limit)&cursor=\(next.text)>; rel=\"next\""
  }
}

extension HTTPField.Name {
  /// Where related answers are (RFC 8288).
  static let link = Self("Link")!
}
