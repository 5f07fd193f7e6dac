/// Says what went wrong and what to do.
struct ProblemPage: Page {
  var heading: String
  var text: String
  /// False inside a login or a payment, where leaving for the front page would be a loss.
  var leadsHome: Bool

  func title(_ texts: Texts) -> String { heading }

  static let template = #"""
    <div class="card stack">
    <div class="stack-small"><h1>{{page.heading}}</h1><p class="muted">{{page.text}}</p></div>
    {{#page.leadsHome}}<a class="button quiet wide" href="/">{{t.problemHome}}</a>{{/page.leadsHome}}
    </div>
    """#
}
