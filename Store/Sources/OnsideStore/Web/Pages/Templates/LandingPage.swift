/// The page that advertisements and links lead to: what the app is, and how to get it.
struct LandingPage: Page {
  var appInitial: String
  var heading: String
  var lead: String
  var installLabel: String
  var next: String
  var note: String
  /// Where the form leads; nil when the app has no address to install it from.
  var action: String?
  /// The visit that the button belongs to.
  var visit: String
  var shopPath: String

  func title(_ texts: Texts) -> String { heading }

  static let template = #"""
    <div class="card stack">
    <div class="row"><span class="tile" aria-hidden="true">{{page.appInitial}}</span><h1>{{page.heading}}</h1></div>
    <p class="lead">{{page.lead}}</p>
    {{#page.action}}
    <form class="stack-small" method="post" action="{{.}}">{{>csrf}}
    <input type="hidden" name="visit" value="{{page.visit}}">
    <button class="button wide" aria-describedby="next">{{page.installLabel}}</button>
    <p class="muted small" id="next">{{page.next}}</p>
    </form>
    {{/page.action}}
    <a class="button quiet wide" href="{{page.shopPath}}">{{t.landShop}}</a>
    <p class="muted small">{{page.note}}</p>
    </div>
    """#
}
