/// Asks for the e-mail address.
struct EmailPage: Page {
  var heading: String
  var lead: String
  var value: String
  var error: String?
  var action: String
  /// Lead to the other ways to log in.
  var links: [PageLink]
  var cancelAction: String

  func title(_ texts: Texts) -> String { heading }
  var hasError: Bool { error != nil }

  static let template = #"""
    <div class="card stack">
    <div class="stack-small"><h1>{{page.heading}}</h1><p class="muted">{{page.lead}}</p></div>
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
    {{>links}}
    {{>cancel}}
    </div>
    """#
}
