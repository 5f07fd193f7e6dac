/// Offers the account that this browser is logged in to.
struct ContinuePage: Page {
  var lead: String
  var continueLabel: String
  var action: String
  var otherAddress: String
  var cancelAction: String

  func title(_ texts: Texts) -> String { texts[.continueTitle] }

  static let template = #"""
    <div class="card stack">
    <div class="stack-small"><h1>{{t.continueTitle}}</h1><p class="muted">{{page.lead}}</p></div>
    <form method="post" action="{{page.action}}">{{>csrf}}<button class="button wide" autofocus>{{page.continueLabel}}</button></form>
    <a class="button quiet wide" href="{{page.otherAddress}}">{{t.continueOther}}</a>
    {{>cancel}}
    </div>
    """#
}
