/// The page that asks a logged-in user whether an app may use the account. No button has the focus: a key that was
/// pressed for another window must not consent.
struct ConsentPage: Page {
  var heading: String
  var lead: String
  var app: String
  var identifier: String
  var address: String
  var addressNote: String
  var purchases: String
  /// The id of the shown account, which the form sends: the consent of another account is not accepted.
  var account: String
  var continueLabel: String
  var action: String
  var otherAddress: String
  var cancelAction: String

  func title(_ texts: Texts) -> String { heading }

  static let template = #"""
    <div class="card stack">
    <div class="stack-small"><h1>{{page.heading}}</h1><p class="muted">{{page.lead}}</p></div>
    <dl class="facts">
    <div class="tall"><dt>{{t.consentApp}}</dt><dd><bdi>{{page.app}}</bdi><br><bdi class="mono muted">{{page.identifier}}</bdi></dd></div>
    <div class="tall"><dt>{{t.consentTo}}</dt><dd>{{page.addressNote}}<br><bdi class="mono muted">{{page.address}}</bdi></dd></div>
    </dl>
    <section class="stack-small" aria-labelledby="may">
    <h2 id="may">{{t.consentMay}}</h2>
    <ul class="ticks stack-small">
    <li>{{>check}}<span>{{t.consentAccount}}</span></li>
    <li>{{>check}}<span>{{page.purchases}}</span></li>
    <li>{{>check}}<span>{{t.consentOrders}}</span></li>
    </ul>
    <p class="muted small">{{t.consentNever}}</p>
    </section>
    <form method="post" action="{{page.action}}">{{>csrf}}<input type="hidden" name="account" value="{{page.account}}"><button class="button wide">{{page.continueLabel}}</button></form>
    <div class="secondary">
    <form method="post" action="{{page.cancelAction}}">{{>csrf}}<button class="button quiet wide">{{t.consentRefuse}}</button></form>
    <a class="button plain wide" href="{{page.otherAddress}}">{{t.consentOther}}</a>
    </div>
    </div>
    """#
}
