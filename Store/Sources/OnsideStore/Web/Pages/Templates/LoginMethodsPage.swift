/// Offers the ways to log in where the store sends no codes.
struct LoginMethodsPage: Page {
  var heading: String
  var lead: String
  var links: [PageLink]
  var cancelAction: String

  func title(_ texts: Texts) -> String { heading }

  static let template = #"""
    <div class="card stack">
    <div class="stack-small"><h1>{{page.heading}}</h1><p class="muted">{{page.lead}}</p></div>
    {{>links}}
    {{>cancel}}
    </div>
    """#
}
