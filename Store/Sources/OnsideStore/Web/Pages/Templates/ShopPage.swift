/// What one app sells, at the prices of a region.
struct ShopPage: Page {
  struct Item: Sendable {
    var id: String
    var title: String
    var description: String
    var kind: String
    var price: String
    var rhythm: String?
    var offer: String?
    /// When a subscription ends; nothing renews yet.
    var ends: String?
    /// What stands in the place of the button.
    var sale: Sale
  }

  /// Whether and how a visitor gets a product; one of the three is there.
  struct Sale: Sendable {
    var offered: Offered?
    var owned: Owned?
    /// Why it cannot be bought now.
    var refusal: String?

    static func offered(_ label: String, orderID: String) -> Sale {
      Sale(offered: .init(label: label, orderID: orderID))
    }
    static func owned(_ label: String, receipt: String) -> Sale { Sale(owned: .init(label: label, receipt: receipt)) }
    static func refused(_ text: String) -> Sale { Sale(refusal: text) }
  }

  struct Offered: Sendable {
    var label: String
    /// The id that the order will have: a form sent twice is one order.
    var orderID: String
  }

  struct Owned: Sendable {
    var label: String
    /// The address of the receipt.
    var receipt: String
  }

  var appName: String
  var appInitial: String
  var path: String
  /// What a visitor who wanted to buy has to know.
  var notice: String?
  /// The region of the prices, for an account; its page is where it changes.
  var accountRegion: String?
  var country: String
  var products: [Item]
  /// The regions that a visitor who is not logged in chooses from; an account has its own.
  var regions: [PageOption]

  static let frame = PageFrame.site
  func title(_ texts: Texts) -> String { "\(appName) – \(texts[.shopTitle])" }

  static let template = #"""
    <div class="hero stack">
    <div class="row"><span class="tile" aria-hidden="true">{{page.appInitial}}</span><h1>{{page.appName}}</h1></div>
    {{#page.notice}}<p class="notice" role="status">{{>info}}<span>{{.}}</span></p>{{/page.notice}}
    {{#page.accountRegion}}
    <p class="row lead"><span>{{.}}</span><a class="button quiet small" href="/account">{{t.accountSave}}<span class="visually-hidden">: {{t.accountRegion}}</span></a></p>
    {{/page.accountRegion}}
    {{^page.accountRegion}}
    <form class="field narrow" method="get" action="{{page.path}}">
    <label for="country">{{t.shopRegion}}</label>
    <div class="picker"><select class="select" id="country" name="country" autocomplete="country">{{>region-options}}</select>
    <button class="button quiet">{{t.shopShow}}</button></div>
    </form>
    {{/page.accountRegion}}
    </div>
    <ul class="grid section">
    {{#page.products}}
    <li class="card product">
    <span><span class="badge plain">{{kind}}</span></span>
    <h2 id="product-{{id}}" dir="auto">{{title}}</h2>
    <p class="muted" dir="auto">{{description}}</p>
    <p class="price"><bdi>{{price}}</bdi>{{#rhythm}} <small>{{.}}</small>{{/rhythm}}</p>
    {{#offer}}<p class="offer">{{.}}</p>{{/offer}}
    {{#ends}}<p class="muted small">{{.}}</p>{{/ends}}
    {{#sale.offered}}
    <form method="post" action="{{page.path}}/buy">{{>csrf}}
    <input type="hidden" name="product_id" value="{{id}}"><input type="hidden" name="order_id" value="{{orderID}}">
    <input type="hidden" name="country" value="{{page.country}}">
    <button class="button wide" aria-describedby="product-{{id}}">{{label}}</button></form>
    {{/sale.offered}}
    {{#sale.owned}}<div class="row spread owned"><span class="badge good">{{>check}}{{label}}</span>
    <a class="button plain small" href="{{receipt}}">{{t.accountReceipt}}<span class="visually-hidden">: {{title}}</span></a></div>{{/sale.owned}}
    {{#sale.refusal}}<p class="notice owned">{{>info}}<span>{{.}}</span></p>{{/sale.refusal}}
    </li>
    {{/page.products}}
    </ul>
    {{^page.products}}<p class="card muted">{{t.shopEmpty}}</p>{{/page.products}}
    """#
}
