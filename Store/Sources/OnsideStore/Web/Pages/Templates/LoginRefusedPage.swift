/// Says why a way to log in did not lead on, and leads back to where another one can be chosen.
struct LoginRefusedPage: Page {
  var heading: String
  var text: String
  var backAddress: String
  var backLabel: String

  func title(_ texts: Texts) -> String { heading }

  static let template = #"""
    <div class="card stack">
    <div class="stack-small"><h1>{{page.heading}}</h1><p class="muted">{{page.text}}</p></div>
    <a class="button wide" href="{{page.backAddress}}">{{page.backLabel}}</a>
    </div>
    """#
}
