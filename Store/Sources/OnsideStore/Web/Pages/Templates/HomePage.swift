/// The front page: what this store is and which apps sell here.
struct HomePage: Page {
  struct Entry: Sendable {
    var name: String
    var identifier: String
    var initial: String
    var path: String
  }

  var apps: [Entry]
  var isSandbox: Bool

  static let frame = PageFrame.site
  func title(_ texts: Texts) -> String { texts[.homeTitle] }

  static let template = #"""
    <div class="hero stack">
    <h1>{{t.homeHeading}}</h1>
    <p class="lead">{{t.homeLead}}</p>
    {{#page.isSandbox}}<p class="notice">{{>info}}<span>{{t.sandboxNote}}</span></p>{{/page.isSandbox}}
    </div>
    <section class="section" aria-labelledby="apps">
    <h2 id="apps">{{t.homeApps}}</h2>
    <ul class="grid">
    {{#page.apps}}
    <li><a class="card app" href="{{path}}"><span class="tile" aria-hidden="true">{{initial}}</span>
    <span><strong>{{name}}</strong><span class="visually-hidden">, {{t.homeOpenShop}}</span><br><span class="muted small" dir="ltr">{{identifier}}</span></span>{{>arrow}}</a></li>
    {{/page.apps}}
    </ul>
    {{^page.apps}}<p class="card muted">{{t.homeNoApps}}</p>{{/page.apps}}
    </section>
    """#
}
