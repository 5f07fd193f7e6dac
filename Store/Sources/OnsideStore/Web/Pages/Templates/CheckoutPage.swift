/// What is bought, what it costs and how to pay. There is no field for a card number on it, and no script.
struct CheckoutPage: Page {
  struct Choice: Sendable {
    var value: String
    var name: String
    var note: String
    var isChosen: Bool
    var isDefault: Bool
  }

  var lead: String
  var productTitle: String
  var productDescription: String
  var region: String
  var quantity: String?
  var price: String
  /// The price as it is shown, in minor units and currency: the form sends it back, and only that is charged.
  var shownPrice: String
  var offer: String?
  /// When a subscription ends; nothing renews yet.
  var ends: String?
  var payLabel: String
  var priceChanged: String?
  var error: String?
  var choices: [Choice]
  /// Test cards that are seldom wanted.
  var more: [Choice]
  /// Whether the card can be kept for the next time.
  var maySave: Bool
  var action: String
  var cancelAction: String

  func title(_ texts: Texts) -> String { texts[.payTitle] }
  var hasError: Bool { error != nil }

  static let template = #"""
    <div class="card stack">
    <div class="stack-small"><h1>{{t.payTitle}}</h1><p class="muted">{{page.lead}}</p></div>
    {{#page.priceChanged}}<p class="notice" role="alert">{{>info}}<span>{{.}}</span></p>{{/page.priceChanged}}
    <div><h2 dir="auto">{{page.productTitle}}</h2><p class="muted" dir="auto">{{page.productDescription}}</p></div>
    <div>
    <dl class="facts">
    {{#page.quantity}}<div><dt>{{t.payQuantity}}</dt><dd>{{.}}</dd></div>{{/page.quantity}}
    <div><dt>{{t.payRegion}}</dt><dd>{{page.region}}</dd></div>
    </dl>
    <p class="total"><span>{{t.payTotal}}</span><span class="price" data-price="{{page.price}}"><bdi>{{page.price}}</bdi></span></p>
    {{#page.offer}}<p class="offer">{{.}}</p>{{/page.offer}}
    {{#page.ends}}<p class="muted small">{{.}}</p>{{/page.ends}}
    </div>
    <form class="stack" method="post" action="{{page.action}}">{{>csrf}}
    <input type="hidden" name="price" value="{{page.shownPrice}}">
    <fieldset class="field"{{#page.error}} aria-describedby="method-error"{{/page.error}}>
    <legend>{{t.payLegend}}</legend>
    {{#page.error}}<p class="error" id="method-error" role="alert">{{>alert}}<span>{{.}}</span></p>{{/page.error}}
    <div class="choices">
    {{#page.choices}}
    <label class="choice"><input type="radio" name="method" value="{{value}}" required{{#isChosen}} checked{{/isChosen}}>
    <span><span class="name">{{name}}</span><span class="note">{{note}}</span></span>{{#isDefault}}<span class="badge good">{{t.payDefault}}</span>{{/isDefault}}</label>
    {{/page.choices}}
    </div>
    <details><summary>{{t.payMore}}</summary><div class="choices">
    {{#page.more}}
    <label class="choice"><input type="radio" name="method" value="{{value}}" required>
    <span><span class="name">{{name}}</span><span class="note">{{note}}</span></span></label>
    {{/page.more}}
    </div></details>
    </fieldset>
    {{#page.maySave}}<label class="row"><input class="check" type="checkbox" name="remember" value="1"><span>{{t.payRemember}}</span></label>{{/page.maySave}}
    <button class="button wide">{{page.payLabel}}</button>
    </form>
    {{>cancel}}
    </div>
    """#
}
