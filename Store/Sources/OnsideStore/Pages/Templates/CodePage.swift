/// Asks for the code that was sent.
struct CodePage: Page {
  var lead: String
  var error: String?
  /// Good news beside the form, such as that a new code is on its way.
  var note: String?
  /// Says how long a new code must wait; nil when one can be had now.
  var resendWait: String?
  var action: String
  var resendAction: String
  var changeAddress: String
  var changeLabel: String
  var cancelAction: String

  func title(_ texts: Texts) -> String { texts[.codeTitle] }
  var hasError: Bool { error != nil }

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
    {{#page.resendWait}}<p class="muted small">{{.}}</p>{{/page.resendWait}}
    <div class="secondary">
    <form method="post" action="{{page.resendAction}}">{{>csrf}}<button class="button quiet wide">{{t.codeResend}}</button></form>
    <a class="button plain wide" href="{{page.changeAddress}}">{{page.changeLabel}}</a>
    {{>cancel}}
    </div>
    </div>
    """#
}
