/// The payment is on its way; the page asks again every few seconds.
struct PendingPage: Page {
  var address: String
  var backAddress: String?
  var backLabel: String

  static let frame = PageFrame(width: "narrow", isFlow: true, refresh: 3)
  func title(_ texts: Texts) -> String { texts[.pendingTitle] }

  static let template = #"""
    <div class="card stack">
    <span class="spinner" aria-hidden="true"></span>
    <div class="stack-small" role="status"><h1>{{t.pendingTitle}}</h1><p class="muted">{{t.pendingLead}}</p></div>
    <a class="button quiet wide" href="{{page.address}}">{{t.pendingCheck}}</a>
    {{#page.backAddress}}<a class="button plain wide" href="{{.}}">{{page.backLabel}}</a>{{/page.backAddress}}
    </div>
    """#
}
