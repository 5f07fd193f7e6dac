/// The page of an account's login methods. Without a fresh proof of the user's identity it is read-only.
struct AccountLoginMethodsPage: Page {
  struct Login: Sendable {
    var id: String
    var title: String
    var detail: String
    var since: String
  }

  var isProved: Bool
  /// Whether the account has a single login method, which cannot be removed.
  var isOnly: Bool
  var mayRemove: Bool
  var notice: String?
  var error: String?
  var logins: [Login]

  init(isProved: Bool, notice: String?, error: String?, logins: [Login]) {
    self.isProved = isProved
    isOnly = logins.count < 2
    mayRemove = isProved && logins.count > 1
    (self.notice, self.error, self.logins) = (notice, error, logins)
  }

  var hasError: Bool { error != nil }
  func title(_ texts: Texts) -> String { texts[.loginsTitle] }

  static let frame = PageFrame.medium

  static let template = #"""
    <div class="stack">
    <h1>{{t.loginsTitle}}</h1>
    {{#page.notice}}<p class="notice good" role="status">{{>check}}<span>{{.}}</span></p>{{/page.notice}}
    {{#page.error}}<p class="notice bad" role="alert">{{>alert}}<span>{{.}}</span></p>{{/page.error}}
    <div class="card stack">
    <p class="muted">{{t.loginsLead}}</p>
    <ul class="list">
    {{#page.logins}}
    <li><div class="grow"><strong><bdi>{{title}}</bdi></strong><br><span id="login-{{id}}"><bdi>{{detail}}</bdi></span><br>
    <span class="muted small">{{since}}</span></div>
    {{#page.mayRemove}}<form method="post" action="/account/logins/remove">{{>csrf}}<button class="button danger small" name="identity" value="{{id}}" aria-describedby="login-{{id}}">{{t.loginsRemove}}</button></form>{{/page.mayRemove}}</li>
    {{/page.logins}}
    </ul>
    {{#page.isOnly}}<p class="muted small">{{t.loginsLast}}</p>{{/page.isOnly}}
    {{#page.isProved}}<form method="post" action="/account/logins/add">{{>csrf}}<button class="button wide">{{t.loginsAdd}}</button></form>{{/page.isProved}}
    {{^page.isProved}}
    <p class="notice">{{>info}}<span>{{t.proofLead}}</span></p>
    <form method="post" action="/account/logins">{{>csrf}}<button class="button wide">{{t.proofSubmit}}</button></form>
    {{/page.isProved}}
    </div>
    <a class="button plain wide" href="/account">{{t.accountTitle}}</a>
    </div>
    """#
}
