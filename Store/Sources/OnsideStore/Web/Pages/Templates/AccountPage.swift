/// A person's own page: number, region, purchases, the way out.
struct AccountPage: Page {
  struct Purchase: Sendable {
    var title: String
    var detail: String
    var state: String
    var stateClass: String
    var address: String?
  }

  struct Session: Sendable {
    var id: String
    var title: String
    var device: String
    var times: String
    var isCurrent: Bool
  }

  var number: String
  var regions: [PageOption]
  var saved: String?
  var error: String?
  var sessions: [Session]
  var purchases: [Purchase]
  /// True when there is something to end beside this browser.
  var hasOthers: Bool

  init(
    number: String, regions: [PageOption], saved: String?, error: String?, sessions: [Session], purchases: [Purchase]
  ) {
    (self.number, self.regions, self.saved, self.error) = (number, regions, saved, error)
    (self.sessions, self.purchases) = (sessions, purchases)
    hasOthers = sessions.contains { !$0.isCurrent }
  }

  static let frame = PageFrame.medium
  func title(_ texts: Texts) -> String { texts[.accountTitle] }
  var hasError: Bool { error != nil }

  static let template = #"""
    <div class="stack">
    <div class="row spread"><h1>{{t.accountTitle}}</h1>
    <form method="post" action="/logout">{{>csrf}}<button class="button quiet small">{{t.logOut}}</button></form></div>
    {{#page.saved}}<p class="notice good" role="status">{{>check}}<span>{{.}}</span></p>{{/page.saved}}
    <div class="card stack">
    <dl class="facts"><div><dt>{{t.accountNumber}}</dt><dd><span class="number">{{page.number}}</span></dd></div></dl>
    <div><a class="button quiet" href="/account/logins">{{t.loginsChange}}</a></div>
    <form class="stack" method="post" action="/account">{{>csrf}}
    <div class="field"><label for="country">{{t.accountRegion}}</label>
    <div class="picker"><select class="select" id="country" name="country" autocomplete="country" aria-describedby="region-note{{#page.error}} region-error{{/page.error}}"{{#page.error}} aria-invalid="true"{{/page.error}}>{{>region-options}}</select>
    <button class="button quiet">{{t.accountSave}}</button></div>
    {{#page.error}}<p class="error" id="region-error" role="alert">{{>alert}}<span>{{.}}</span></p>{{/page.error}}
    <p class="hint" id="region-note">{{t.accountRegionNote}}</p></div>
    </form>
    </div>
    <section class="card stack" aria-labelledby="purchases">
    <h2 id="purchases">{{t.accountPurchases}}</h2>
    <ul class="list">
    {{#page.purchases}}
    <li><div class="grow"><strong><bdi>{{title}}</bdi></strong> <span class="badge {{stateClass}}">{{state}}</span><br>
    <span class="muted small">{{detail}}</span></div>
    {{#address}}<a class="button plain small" href="{{.}}">{{t.accountReceipt}}<span class="visually-hidden">: {{title}}</span></a>{{/address}}</li>
    {{/page.purchases}}
    </ul>
    {{^page.purchases}}<p class="muted">{{t.accountNone}}</p>{{/page.purchases}}
    </section>
    <section class="card stack" aria-labelledby="sessions">
    <div class="stack-small"><h2 id="sessions">{{t.sessionsTitle}}</h2><p class="muted">{{t.sessionsLead}}</p></div>
    <ul class="list">
    {{#page.sessions}}
    <li><div class="grow"><strong id="{{id}}"><bdi>{{title}}</bdi></strong>{{#isCurrent}} <span class="badge good">{{t.sessionsThis}}</span>{{/isCurrent}}<br>
    <span class="small"><bdi>{{device}}</bdi></span><br><span class="muted small">{{times}}</span></div>
    {{^isCurrent}}<form method="post" action="/account/sessions">{{>csrf}}<button class="button danger small" name="end" value="{{id}}" aria-describedby="{{id}}">{{t.sessionsEnd}}</button></form>{{/isCurrent}}</li>
    {{/page.sessions}}
    </ul>
    {{#page.hasOthers}}<form method="post" action="/account/sessions">{{>csrf}}<button class="button danger wide" name="end" value="others">{{t.sessionsEndOthers}}</button></form>{{/page.hasOthers}}
    </section>
    <section class="card stack" aria-labelledby="data">
    <div class="stack-small"><h2 id="data">{{t.dataTitle}}</h2><p class="muted">{{t.dataLead}}</p></div>
    <div><a class="button quiet" href="/account/data">{{t.dataLink}}</a></div>
    </section>
    </div>
    """#
}
