/// The cards that an account has saved, and those that are kept for its subscriptions alone.
struct PaymentMethodsPage: Page {
  struct Method: Sendable {
    var id: String
    var name: String
    var note: String
    var isDefault: Bool
  }

  struct Kept: Sendable {
    var id: String
    var name: String
    var note: String
    /// What it is kept for: `For Plus in Lumen`.
    var use: String
  }

  /// Why a method was not saved, when it was not.
  var error: String?
  var methods: [Method]
  var kept: [Kept] = []
  /// What follows when one of those is removed.
  var keptNote = ""
  var choices: [PageOption]
  /// What the choices are called together.
  var legend: String
  var action: String
  var doneAction: String

  func title(_ texts: Texts) -> String { texts[.methodsTitle] }
  var hasError: Bool { error != nil }

  static let template = String(embedded: PackageResources.PaymentMethodsPage_mustache)
}
