public import Foundation

/// A named group of products that the store's operator has put together, such as the plans of a paywall. An addition to
/// the published API.
///
/// The operator changes groups, their order and their metadata with `onside offering`, without a new version of the
/// app.
public struct OnsideOffering: Sendable, Hashable, Identifiable, Codable {
  /// Its name within the app.
  public let id: String
  /// Texts by name, as the operator has set them: a headline, the name of a layout.
  public let metadata: [String: String]
  /// The products that are sold in the user's region, in the operator's order.
  public let products: [OnsideProduct]

  /// Makes an offering, for an app's own tests and previews; those of a shop come from ``Onside/offerings()``.
  public init(id: String, metadata: [String: String] = [:], products: [OnsideProduct]) {
    self.id = id
    self.metadata = metadata
    self.products = products
  }
}

/// The offerings of an app, as the store told them. An addition to the published API.
public struct OnsideOfferings: Sendable, Hashable {
  /// All of them, in the operator's order.
  public let all: [OnsideOffering]
  /// The one that the operator wants to be shown; `nil` when there is none, or when nothing of it is sold here.
  public var current: OnsideOffering? { currentIdentifier.flatMap { self[$0] } }
  /// When the store told them. Prices are those of that moment: the payment page shows the price of the day.
  public let date: Date

  let currentIdentifier: String?

  /// Makes offerings, for an app's own tests and previews.
  public init(all: [OnsideOffering], currentIdentifier: String? = nil, date: Date) {
    self.all = all
    self.currentIdentifier = currentIdentifier
    self.date = date
  }

  /// The offering of a name; `nil` when there is none.
  public subscript(_ id: String) -> OnsideOffering? { all.first { $0.id == id } }
}
