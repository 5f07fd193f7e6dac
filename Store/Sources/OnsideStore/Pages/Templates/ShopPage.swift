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
    var buyLabel: String
    /// The id that the order will have: a form sent twice is one order.
    var orderID: String
  }

  var appName: String
  var appInitial: String
  var path: String
  var lead: String
  var country: String
  var products: [Item]
  /// Only a visitor who is not logged in chooses; an account has its region.
  var choosesRegion: Bool
  var regions: [PageOption]

  static let frame = PageFrame.site
  func title(_ texts: Texts) -> String { "\(appName) – \(texts[.shopTitle])" }

  static let template = #"""
    <div class="hero stack">
    <div class="row"><span class="tile" aria-hidden="true">{{page.appInitial}}</span><h1>{{page.appName}}</h1></div>
    <p class="lead">{{page.lead}}</p>
    {{#page.choosesRegion}}
    <details><summary>{{t.shopRegion}}</summary>
    <form class="stack-small narrow" method="get" action="{{page.path}}">
    <label class="visually-hidden" for="country">{{t.shopRegion}}</label>
    <select class="select" id="country" name="country" autocomplete="country">{{>region-options}}</select>
    <button class="button quiet">{{t.shopShow}}</button>
    </form></details>
    {{/page.choosesRegion}}
    </div>
    <ul class="grid section">
    {{#page.products}}
    <li class="card product">
    <span><span class="badge plain">{{kind}}</span></span>
    <h2 id="{{orderID}}" dir="auto">{{title}}</h2>
    <p class="muted" dir="auto">{{description}}</p>
    <p class="price"><bdi>{{price}}</bdi>{{#rhythm}} <small>{{.}}</small>{{/rhythm}}</p>
    {{#offer}}<p class="offer">{{.}}</p>{{/offer}}
    <form method="post" action="{{page.path}}/buy">{{>csrf}}
    <input type="hidden" name="product_id" value="{{id}}"><input type="hidden" name="order_id" value="{{orderID}}">
    <input type="hidden" name="country" value="{{page.country}}">
    <button class="button wide" aria-describedby="{{orderID}}">{{buyLabel}}</button></form>
    </li>
    {{/page.products}}
    </ul>
    {{^page.products}}<p class="card muted">{{t.shopEmpty}}</p>{{/page.products}}
    """#
}
