import Foundation
public import StoreBase

extension OutboxListing {
  /// The order that it is about, where it is about one.
  public var order: String? {
    let subject = try? JSONDecoder().decode(Subject.self, from: Data(payload.utf8))
    return subject?.asked ?? subject?.told
  }

  /// The order's id in a payload, under the key of the store or of its provider's events.
  private struct Subject: Decodable {
    let asked: String?
    let told: String?

    enum CodingKeys: String, CodingKey {
      case asked = "orderID"
      case told = "order_id"
    }
  }
}
