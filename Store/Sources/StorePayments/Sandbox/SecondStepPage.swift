import StoreBase
import StoreWeb

/// The sandbox bank asks whether the payment is wanted.
package struct SecondStepPage: Page {
  var payee: String
  var price: String
  var action: String

  static let frame = PageFrame(width: "narrow", bodyClass: "bank", isFlow: true)
  func brand(_ texts: Texts) -> String? { texts[.bankTitle] }
  func title(_ texts: Texts) -> String { texts[.bankHeading] }

  static let template = String(embedded: PackageResources.SecondStepPage_mustache)
}
