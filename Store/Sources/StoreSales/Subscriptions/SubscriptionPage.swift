import StoreAccounts
import StoreBase
import StoreWeb

/// One subscription, for the person who pays it: what, until when, at which price, and every change that is possible.
package struct SubscriptionPage: Page {
  /// A label with what it is about; some lead to another page.
  struct Fact: Sendable {
    var label: String
    var value: String
    var address: String?
  }

  /// Another plan of the group.
  struct Plan: Sendable {
    var id: String
    var title: String
    var price: String
    /// When it starts, and what goes back for the present one.
    var note: String
    var submitLabel: String
    /// The price as the form sends it back: only that is agreed to.
    var shownPrice: String
    /// The order that the form makes for a plan that starts at once: sent twice, it makes one.
    var order: String
    /// The offer that the form takes; nil for the regular price.
    var offer: String?
  }

  /// Something that was planned and can be taken back.
  struct Planned: Sendable {
    var text: String
    var label: String
    /// The action that takes it back, which is also the name of its field, with the field's value.
    var field: String
    var value: String
  }

  /// A button with what it leads to.
  struct Offer: Sendable {
    var text: String
    var label: String
    var shownPrice: String
  }

  /// The saved payment methods that renewals can be charged to instead of the present one, beside a button that leads
  /// to the page on which a method is added.
  struct MethodChoice: Sendable {
    var options: [PageOption]
    /// With the price, where the chosen method is charged at once.
    var submitLabel: String
    /// The price of the next renewal as the form sends it back: nothing changes when it is another one by then.
    var shownPrice: String
  }

  /// A price that needs the account's consent.
  struct Question: Sendable {
    var text: String
    var agreeLabel: String
    var shownPrice: String
  }

  var heading: String
  var description: String
  var state: String
  var stateClass: String
  var notice: String?
  var error: String?
  /// What happens next, or what is wrong.
  var lead: String
  var facts: [Fact]
  var payAddress: String?
  var app: String
  var group: String
  /// What every form repeats of the app that has opened the page.
  var hiddenFields: [HiddenField] = []
  /// The way back into that app; nil for the account's own page.
  var back: PageLink?
  /// A price that needs consent.
  var question: Question?
  /// The price of the next renewal, where the lead does not state it: a told new price, or that of a declined plan.
  var priceNote: String?
  var planned: [Planned] = []
  /// What stands above the plans.
  var plansTitle = ""
  var plans: [Plan] = []
  /// What is said of a pause before it is planned; nil when there can be none.
  var pause: String?
  var pauseLengths: [PageOption] = []
  /// Goes on at once after a pause.
  var resumption: Offer?
  /// A renewal that is switched off, on again.
  var renewal: Offer?
  /// The choice of another payment method; nil where there is none.
  var methodChoice: MethodChoice?
  /// Switches the renewal off; nil when it is off.
  var stopLabel: String?

  static let frame = PageFrame.medium
  func title(_ texts: Texts) -> String { heading }
  var hasError: Bool { error != nil }

  static let template = String(embedded: PackageResources.SubscriptionPage_mustache)
  static let parts = SubscriptionPageParts.fields
}

extension SubscriptionPage {
  /// Makes it the page of a screen of an app.
  mutating func leave(to back: PageReturn, app: App?, texts: Texts) {
    hiddenFields = [HiddenField](back.fields)
    self.back = back.link(to: app, texts: texts)
  }
}
