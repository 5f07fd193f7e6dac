/// A paid order, and how to check that the store says so.
struct ReceiptPage: Page {
  var heading: String
  var lead: String
  var isRefunded: Bool
  var product: String
  var price: String
  var date: String
  /// The last day of a subscription.
  var ends: String?
  var orderID: String
  var keysAddress: String
  var receipt: String?
  var backAddress: String?
  var backLabel: String
  /// The app's shop, or the front page for an app that is no longer sold here.
  var shopAddress: String

  func title(_ texts: Texts) -> String { heading }

  static let template = #"""
    <div class="card stack">
    <div class="stack-small">
    {{^page.isRefunded}}<span class="done" aria-hidden="true">{{>check}}</span>{{/page.isRefunded}}
    <h1>{{page.heading}}</h1><p class="muted">{{page.lead}}</p></div>
    <dl class="facts">
    <div><dt>{{t.receiptProduct}}</dt><dd><bdi>{{page.product}}</bdi></dd></div>
    <div><dt>{{t.receiptAmount}}</dt><dd><bdi>{{page.price}}</bdi></dd></div>
    <div><dt>{{t.receiptDate}}</dt><dd>{{page.date}}</dd></div>
    {{#page.ends}}<div><dt>{{t.receiptEnds}}</dt><dd>{{.}}</dd></div>{{/page.ends}}
    <div><dt>{{t.receiptOrder}}</dt><dd class="mono" dir="ltr">{{page.orderID}}</dd></div>
    </dl>
    {{#page.backAddress}}<a class="button wide" href="{{.}}">{{page.backLabel}}</a>{{/page.backAddress}}
    <a class="button quiet wide" href="{{page.shopAddress}}">{{t.landShop}}</a>
    {{#page.receipt}}
    <details><summary>{{t.receiptVerify}}</summary>
    <div class="stack-small small">
    <p class="muted">{{t.receiptVerifyText}}</p>
    <p class="mono" dir="ltr">{{page.keysAddress}}</p>
    <label for="receipt">{{t.receiptSigned}}</label>
    <textarea class="input mono" id="receipt" rows="6" readonly dir="ltr">{{.}}</textarea>
    </div></details>
    {{/page.receipt}}
    </div>
    """#
}
