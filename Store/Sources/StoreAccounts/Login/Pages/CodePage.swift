import StoreBase
import StoreWeb

/// Asks for the code that was sent.
package struct CodePage: Page {
  /// How long a new code must wait.
  struct Wait: Sendable {
    var text: String
    /// The class that keeps the button for a new code inactive in looks for that long.
    var style: String
  }

  /// The app that asks for the login, and the program that gets its answer.
  struct Requester: Sendable {
    var app: String
    var identifier: String
    /// The kind of program, in words.
    var destination: String
    var address: String
  }

  var lead: String
  /// Nil for a login on the store's own pages.
  var requester: Requester?
  var error: String?
  /// Good news beside the form, such as that a new code is on its way.
  var note: String?
  /// Nil when a new code can be had now.
  var wait: Wait?
  /// Why no new code was sent.
  var resendError: String?
  var action: String
  var resendAction: String
  /// The page before, which also has the button that gives the login up.
  var changeAddress: String
  var changeLabel: String

  func title(_ texts: Texts) -> String { texts[.codeTitle] }
  var hasError: Bool { error != nil || resendError != nil }

  static let template = String(embedded: PackageResources.CodePage_mustache)
}
