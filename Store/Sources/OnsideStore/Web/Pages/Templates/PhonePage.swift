/// Asks for the phone number.
struct PhonePage: Page {
  var heading: String
  var lead: String
  var hint: String
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
    <label for="phone">{{t.phoneLabel}}</label>
    <input class="input" id="phone" name="phone" type="tel" inputmode="tel" autocomplete="tel" required autofocus
     maxlength="64" value="{{page.value}}" aria-describedby="phone-hint{{#page.error}} phone-error{{/page.error}}"{{#page.error}} aria-invalid="true"{{/page.error}}>
    {{#page.error}}<p class="error" id="phone-error" role="alert">{{>alert}}<span>{{.}}</span></p>{{/page.error}}
    <p class="hint" id="phone-hint">{{page.hint}}</p>
    </div>
    <button class="button wide">{{t.phoneSubmit}}</button>
    </form>
    {{>links}}
    {{>cancel}}
    </div>
    """#
}
