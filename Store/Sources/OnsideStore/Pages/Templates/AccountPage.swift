/// A person's own page: number, region, purchases, the way out.
struct AccountPage: Page {
  struct Purchase: Sendable {
    var title: String
    var detail: String
    var state: String
    var stateClass: String
    var address: String?
  }

  var number: String
  var regions: [PageOption]
  var saved: String?
  var error: String?
  var purchases: [Purchase]

  static let frame = PageFrame.medium
  func title(_ texts: Texts) -> String { texts[.accountTitle] }
  var hasError: Bool { error != nil }

  static let template = #"""
    <div class="stack">
    <div class="row spread"><h1>{{t.accountTitle}}</h1>
    <form method="post" action="/logout">{{>csrf}}<button class="button quiet small">{{t.logOut}}</button></form></div>
    {{#page.saved}}<p class="notice good" role="status">{{>check}}<span>{{.}}</span></p>{{/page.saved}}
    <section class="card stack">
    <dl class="facts"><div><dt>{{t.accountNumber}}</dt><dd><span class="number">{{page.number}}</span></dd></div></dl>
    <form class="stack" method="post" action="/account">{{>csrf}}
    <div class="field"><label for="country">{{t.accountRegion}}</label>
    <select class="select" id="country" name="country" autocomplete="country" aria-describedby="region-note{{#page.error}} region-error{{/page.error}}"{{#page.error}} aria-invalid="true"{{/page.error}}>{{>region-options}}</select>
    {{#page.error}}<p class="error" id="region-error" role="alert">{{>alert}}<span>{{.}}</span></p>{{/page.error}}
    <p class="hint" id="region-note">{{t.accountRegionNote}}</p></div>
    <div><button class="button">{{t.accountSave}}</button></div>
    </form>
    </section>
    <section class="card stack" aria-labelledby="purchases">
    <h2 id="purchases">{{t.accountPurchases}}</h2>
    <ul class="list">
    {{#page.purchases}}
    <li><div class="grow"><strong><bdi>{{title}}</bdi></strong><br><span class="muted small">{{detail}}</span></div>
    <span class="badge {{stateClass}}">{{state}}</span>
    {{#address}}<a class="button plain small" href="{{.}}">{{t.accountReceipt}}<span class="visually-hidden">: {{title}}</span></a>{{/address}}</li>
    {{/page.purchases}}
    </ul>
    {{^page.purchases}}<p class="muted">{{t.accountNone}}</p>{{/page.purchases}}
    </section>
    </div>
    """#
}
