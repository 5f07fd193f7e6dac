/// Gives a person all data of the account, and deletes it. Before a fresh proof of who they are, it only asks for that.
struct AccountDataPage: Page {
  var isProved: Bool
  var error: String?

  func title(_ texts: Texts) -> String { texts[.dataTitle] }
  var hasError: Bool { error != nil }

  static let template = #"""
    {{^page.isProved}}
    <div class="card stack">
    <div class="stack-small"><h1>{{t.dataTitle}}</h1><p class="muted">{{t.proofLead}}</p></div>
    <form method="post" action="/account/data">{{>csrf}}<button class="button wide">{{t.proofSubmit}}</button></form>
    <a class="button plain wide" href="/account">{{t.cancel}}</a>
    </div>
    {{/page.isProved}}
    {{#page.isProved}}
    <div class="stack">
    <h1>{{t.dataTitle}}</h1>
    <section class="card stack" aria-labelledby="export">
    <div class="stack-small"><h2 id="export">{{t.exportTitle}}</h2><p class="muted">{{t.exportLead}}</p></div>
    <form method="post" action="/account/export">{{>csrf}}<button class="button quiet wide">{{t.exportSubmit}}</button></form>
    </section>
    <section class="card stack" aria-labelledby="delete">
    <h2 id="delete">{{t.deleteTitle}}</h2>
    <ul class="ticks stack-small">
    <li>{{>alert}}<span>{{t.deleteGoes}}</span></li>
    <li>{{>alert}}<span>{{t.deleteLost}}</span></li>
    <li>{{>info}}<span>{{t.deleteStays}}</span></li>
    <li>{{>info}}<span>{{t.deleteCodes}}</span></li>
    </ul>
    <form class="stack" method="post" action="/account/delete">{{>csrf}}
    <div class="field">
    <label class="row"><input class="check" type="checkbox" name="agreed" value="yes" required{{#page.error}} aria-describedby="agreed-error" aria-invalid="true"{{/page.error}}><span>{{t.deleteAgree}}</span></label>
    {{#page.error}}<p class="error" id="agreed-error" role="alert">{{>alert}}<span>{{.}}</span></p>{{/page.error}}
    </div>
    <button class="button danger wide">{{t.deleteSubmit}}</button>
    </form>
    </section>
    <a class="button plain wide" href="/account">{{t.cancel}}</a>
    </div>
    {{/page.isProved}}
    """#
}
