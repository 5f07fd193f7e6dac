/// The cards that an account has saved.
struct PaymentMethodsPage: Page {
  struct Method: Sendable {
    var id: String
    var name: String
    var note: String
    var isDefault: Bool
  }

  var methods: [Method]
  var choices: [PageOption]
  var action: String
  var doneAction: String

  func title(_ texts: Texts) -> String { texts[.methodsTitle] }

  static let template = String(embedded: PackageResources.PaymentMethodsPage_mustache)
}
