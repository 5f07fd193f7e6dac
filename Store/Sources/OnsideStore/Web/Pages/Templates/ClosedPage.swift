/// An order that can no longer be paid, and why.
struct ClosedPage: Page {
  var text: String
  var backAddress: String?
  var backLabel: String
  /// The app's shop, or the front page for an app that is no longer sold here.
  var shopAddress: String

  func title(_ texts: Texts) -> String { texts[.closedTitle] }

  static let template = #"""
    <div class="card stack">
    <div class="stack-small"><h1>{{t.closedTitle}}</h1><p class="muted">{{page.text}}</p></div>
    {{#page.backAddress}}<a class="button wide" href="{{.}}">{{page.backLabel}}</a>{{/page.backAddress}}
    <a class="button quiet wide" href="{{page.shopAddress}}">{{t.landShop}}</a>
    </div>
    """#
}
