import StoreBase
import StoreWeb

/// Asks for a refund of a purchase, and says what became of the request.
package struct RefundPage: Page {
  /// What the form is filled in with.
  struct Entry: Sendable {
    var reason: BuyerRefundRequest.Reason?
    var note: String
  }

  struct Form: Sendable {
    var reasons: [PageOption]
    var note: String
    var noteLimit: Int
    var submitLabel: String
    var action: String
    var reasonError: String?
    var noteError: String?

    /// - Parameter isChange: whether the request is there, and waits.
    init(
      _ entry: Entry?, isChange: Bool, action: String, reasonError: String? = nil, noteError: String? = nil,
      texts: Texts
    ) {
      reasons = BuyerRefundRequest.Reason.allCases.map {
        PageOption(value: $0.rawValue, label: texts[$0.text], isChosen: $0 == entry?.reason)
      }
      (note, noteLimit) = (entry?.note ?? "", BuyerRefundNote.limit)
      submitLabel = texts[isChange ? .refundChange : .refundSubmit]
      (self.action, self.reasonError, self.noteError) = (action, reasonError, noteError)
    }
  }

  var heading: String
  /// What became of the request, or why there can be none.
  var state: String?
  /// Whether the request is there, and waits.
  var isSent: Bool
  var product: String
  /// The number of units; nil for one.
  var quantity: String?
  var price: String
  var date: String
  /// Nil when there is nothing to ask for any more.
  var form: Form?
  var back: PageLink?

  func title(_ texts: Texts) -> String { heading }
  var hasError: Bool { form?.reasonError != nil || form?.noteError != nil }

  static let template = String(embedded: PackageResources.RefundPage_mustache)
}

extension BuyerRefundRequest.Reason {
  /// The reason in the buyer's words.
  fileprivate var text: TextKey {
    switch self {
    case .unintended: .refundUnintended
    case .notDelivered: .refundNotDelivered
    case .notAsDescribed: .refundNotAsDescribed
    case .other: .refundOther
    }
  }
}
