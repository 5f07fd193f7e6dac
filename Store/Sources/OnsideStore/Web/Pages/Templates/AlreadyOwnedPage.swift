/// An order for something that its account has already: nothing was charged, or it goes back: no amount, no thanks.
struct AlreadyOwnedPage: Page {
  var text: String
  /// The receipt of the order that gave it to the account.
  var receiptAddress: String
  var backAddress: String?
  var backLabel: String
  /// The app's shop, or the front page for an app that is no longer sold here.
  var shopAddress: String

  func title(_ texts: Texts) -> String { texts[.alreadyTitle] }

  static let template = #"""
    <div class="card stack">
    <div class="stack-small">
    <span class="done" aria-hidden="true">{{>check}}</span>
    <h1>{{t.alreadyTitle}}</h1><p class="muted">{{page.text}}</p></div>
    {{#page.backAddress}}<a class="button wide" href="{{.}}">{{page.backLabel}}</a>{{/page.backAddress}}
    <div class="secondary">
    <a class="button quiet wide" href="{{page.receiptAddress}}">{{t.accountReceipt}}</a>
    <a class="button plain wide" href="{{page.shopAddress}}">{{t.landShop}}</a>
    </div>
    </div>
    """#
}
