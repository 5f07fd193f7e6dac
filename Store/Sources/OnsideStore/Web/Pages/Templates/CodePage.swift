/// Asks for the code that was sent.
struct CodePage: Page {
  /// How long a new code must wait.
  struct Wait: Sendable {
    var text: String
    /// The class that keeps the button for a new code inactive in looks for that long.
    var style: String
  }

  var lead: String
  var error: String?
  /// Good news beside the form, such as that a new code is on its way.
  var note: String?
  /// Nil when a new code can be had now.
  var wait: Wait?
  /// Why no new code was sent.
  var resendError: String?
  var action: String
  var resendAction: String
  /// The page before, which also has the button that gives the login up.
  var changeAddress: String
  var changeLabel: String

  func title(_ texts: Texts) -> String { texts[.codeTitle] }
  var hasError: Bool { error != nil || resendError != nil }

  static let template = #"""
    <div class="card stack">
    <div class="stack-small"><h1>{{t.codeTitle}}</h1><p class="muted">{{page.lead}}</p></div>
    {{#page.note}}<p class="notice good" role="status">{{>check}}<span>{{.}}</span></p>{{/page.note}}
    <form class="stack" method="post" action="{{page.action}}" novalidate>{{>csrf}}
    <div class="field">
    <label for="code">{{t.codeLabel}}</label>
    <input class="input code" id="code" name="code" type="text" inputmode="numeric" autocomplete="one-time-code" required autofocus
     maxlength="16"{{#page.error}} aria-describedby="code-error" aria-invalid="true"{{/page.error}}>
    {{#page.error}}<p class="error" id="code-error" role="alert">{{>alert}}<span>{{.}}</span></p>{{/page.error}}
    </div>
    <button class="button wide">{{t.codeSubmit}}</button>
    </form>
    <div class="stack-small">
    {{#page.resendError}}<p class="error" id="resend" role="alert">{{>alert}}<span>{{.}}</span></p>{{/page.resendError}}
    {{^page.resendError}}{{#page.wait}}<p class="muted small waited {{style}}" id="resend">{{text}}</p>{{/page.wait}}{{/page.resendError}}
    <form method="post" action="{{page.resendAction}}">{{>csrf}}<button class="button quiet wide{{#page.wait}} waiting {{style}}" aria-describedby="resend{{/page.wait}}">{{t.codeResend}}</button></form>
    <a class="button plain wide" href="{{page.changeAddress}}">{{page.changeLabel}}</a>
    </div>
    </div>
    """#
}
