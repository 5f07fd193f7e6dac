/// Asks for the phone number.
struct PhonePage: Page {
  var lead: String
  var hint: String
  var value: String
  var error: String?
  var action: String
  /// Leads to the page that asks for an e-mail address instead, where the store has one.
  var emailAddress: String?
  var cancelAction: String

  func title(_ texts: Texts) -> String { texts[.phoneTitle] }
  var hasError: Bool { error != nil }

  static let template = #"""
    <div class="card stack">
    <div class="stack-small"><h1>{{t.phoneTitle}}</h1><p class="muted">{{page.lead}}</p></div>
    <form class="stack" method="post" action="{{page.action}}" novalidate>{{>csrf}}
    <div class="field">
    <label for="phone">{{t.phoneLabel}}</label>
    <input class="input" id="phone" name="phone" type="tel" inputmode="tel" autocomplete="tel" required autofocus
     maxlength="64" value="{{page.value}}" aria-describedby="phone-hint{{#page.error}} phone-error{{/page.error}}"{{#page.error}} aria-invalid="true"{{/page.error}}>
    {{#page.error}}<p class="error" id="phone-error" role="alert">{{>alert}}<span>{{.}}</span></p>{{/page.error}}
    <p class="hint" id="phone-hint">{{page.hint}}</p>
    </div>
    <button class="button wide">{{t.phoneSubmit}}</button>
    </form>
    {{#page.emailAddress}}<a class="button quiet wide" href="{{.}}">{{t.emailInstead}}</a>{{/page.emailAddress}}
    <form method="post" action="{{page.cancelAction}}">{{>csrf}}<button class="button plain wide">{{t.cancel}}</button></form>
    </div>
    """#
}
