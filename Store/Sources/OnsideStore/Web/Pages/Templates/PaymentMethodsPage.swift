/// The cards that an account has saved.
struct PaymentMethodsPage: Page {
  struct Method: Sendable {
    var id: String
    var name: String
    var note: String
    var isDefault: Bool
  }

  var methods: [Method]
  var choices: [PageOption]
  var action: String
  var doneAction: String

  func title(_ texts: Texts) -> String { texts[.methodsTitle] }

  static let template = #"""
    <div class="card stack">
    <div class="stack-small"><h1>{{t.methodsTitle}}</h1><p class="muted">{{t.methodsLead}}</p></div>
    <ul class="list">
    {{#page.methods}}
    <li><span class="tile" aria-hidden="true">{{>card}}</span>
    <div class="grow stack-small">
    <div><strong id="method-{{id}}">{{name}}</strong>{{#isDefault}} <span class="badge good">{{t.payDefault}}</span>{{/isDefault}}<br><span class="muted small">{{note}}</span></div>
    <form class="row" method="post" action="{{page.action}}">{{>csrf}}<input type="hidden" name="method" value="{{id}}">
    {{^isDefault}}<button class="button quiet small" name="do" value="default" aria-describedby="method-{{id}}">{{t.methodsMakeDefault}}</button>{{/isDefault}}
    <button class="button danger small" name="do" value="remove" aria-describedby="method-{{id}}">{{t.methodsRemove}}</button></form>
    </div></li>
    {{/page.methods}}
    </ul>
    {{^page.methods}}<p class="notice good">{{>card}}<span>{{t.methodsEmpty}}</span></p>{{/page.methods}}
    <details{{^page.methods}} open{{/page.methods}}><summary>{{t.methodsAdd}}</summary>
    <form class="stack" method="post" action="{{page.action}}">{{>csrf}}
    <fieldset class="field"><legend class="visually-hidden">{{t.methodsAddLegend}}</legend><div class="choices">
    {{#page.choices}}<label class="choice"><input type="radio" name="card" value="{{value}}" required{{#isChosen}} checked{{/isChosen}}><span class="name">{{label}}</span></label>
    {{/page.choices}}
    </div></fieldset>
    <button class="button quiet wide" name="do" value="add">{{t.methodsAddSubmit}}</button>
    </form></details>
    <form method="post" action="{{page.doneAction}}">{{>csrf}}<button class="button wide">{{t.methodsDone}}</button></form>
    </div>
    """#
}
