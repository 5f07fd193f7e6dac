/// Asks for the e-mail address.
struct EmailPage: Page {
  var lead: String
  var value: String
  var error: String?
  var action: String
  /// Leads to the page that asks for a phone number instead, where the store has one.
  var phoneAddress: String?
  var cancelAction: String

  func title(_ texts: Texts) -> String { texts[.phoneTitle] }
  var hasError: Bool { error != nil }

  static let template = #"""
    <div class="card stack">
    <div class="stack-small"><h1>{{t.phoneTitle}}</h1><p class="muted">{{page.lead}}</p></div>
    <form class="stack" method="post" action="{{page.action}}" novalidate>{{>csrf}}
    <div class="field">
    <label for="email">{{t.emailLabel}}</label>
    <input class="input" id="email" name="email" type="email" inputmode="email" autocomplete="email" required autofocus dir="ltr"
     maxlength="254" value="{{page.value}}" aria-describedby="email-hint{{#page.error}} email-error{{/page.error}}"{{#page.error}} aria-invalid="true"{{/page.error}}>
    {{#page.error}}<p class="error" id="email-error" role="alert">{{>alert}}<span>{{.}}</span></p>{{/page.error}}
    <p class="hint" id="email-hint">{{t.emailHint}}</p>
    </div>
    <button class="button wide">{{t.phoneSubmit}}</button>
    </form>
    {{#page.phoneAddress}}<a class="button quiet wide" href="{{.}}">{{t.phoneInstead}}</a>{{/page.phoneAddress}}
    <form method="post" action="{{page.cancelAction}}">{{>csrf}}<button class="button plain wide">{{t.cancel}}</button></form>
    </div>
    """#
}
