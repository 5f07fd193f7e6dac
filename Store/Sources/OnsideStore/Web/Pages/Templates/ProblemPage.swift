/// Says what went wrong and what to do, and leads on to the store's front page.
struct ProblemPage: Page {
  var heading: String
  var text: String

  func title(_ texts: Texts) -> String { heading }

  static let template = #"""
    <div class="card stack">
    <div class="stack-small"><h1>{{page.heading}}</h1><p class="muted">{{page.text}}</p></div>
    <a class="button quiet wide" href="/">{{t.problemHome}}</a>
    </div>
    """#
}
