/// The sandbox bank asks whether the payment is wanted.
struct SecondStepPage: Page {
  var payee: String
  var price: String
  var action: String

  static let frame = PageFrame(width: "narrow", bodyClass: "bank", isFlow: true)
  func brand(_ texts: Texts) -> String? { texts[.bankTitle] }
  func title(_ texts: Texts) -> String { texts[.bankHeading] }

  static let template = #"""
    <div class="card stack">
    <div class="stack-small"><h1>{{t.bankHeading}}</h1><p class="muted">{{t.bankLead}}</p></div>
    <dl class="facts">
    <div><dt>{{t.bankAmount}}</dt><dd class="price"><bdi>{{page.price}}</bdi></dd></div>
    <div><dt>{{t.bankPayee}}</dt><dd>{{page.payee}}</dd></div>
    </dl>
    <form class="stack-small" method="post" action="{{page.action}}">{{>csrf}}
    <button class="button wide" name="answer" value="approve">{{t.bankApprove}}</button>
    <button class="button danger wide" name="answer" value="decline">{{t.bankDecline}}</button>
    </form>
    <p class="muted small">{{t.bankNote}}</p>
    </div>
    """#
}
