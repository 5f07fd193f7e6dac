import Mustache
import OnsideCommerce
import Synchronization

/// Turns pages into HTML. Everything that a template shows is escaped; only pieces that were rendered before are not.
package struct PageRenderer: Sendable {
  private let library: MustacheLibrary
  private let storeName: String
  private let isSandbox: Bool

  /// Parses all templates. A template with a mistake in it is a programmer error.
  package init(storeName: String, isSandbox: Bool, pages: [any Page.Type], fields: [any PageFields.Type] = []) {
    var templates = PageParts.all.mapValues(Self.parse)
    templates["layout"] = Self.parse(Layout.template)
    for page in pages {
      templates[Self.name(page)] = Self.parse(page.template)
      templates.merge(page.parts.mapValues(Self.parse)) { $1 }
    }
    for fields in fields { templates[Self.name(fields)] = Self.parse(fields.template) }
    library = MustacheLibrary(templates: templates)
    self.storeName = storeName
    self.isSandbox = isSandbox
  }

  /// The whole document of a page.
  package func html<P: Page>(_ page: P, look: PageLook) -> String {
    let texts = Texts(look.language)
    let table = texts.byName
    let context = PageContext(t: table, csrf: look.csrf, formPage: look.address, page: page)
    let content = library.render(context, withTemplate: Self.name(P.self))
    let prefix = page.hasError ? texts[.errorPrefix] + ": " : ""
    let layout = Layout(
      language: look.language.rawValue, direction: look.language.direction, theme: look.theme.rawValue,
      title: "\(prefix)\(page.title(texts)) – \(storeName)", stylesheet: StyleSheet.current.path,
      brand: page.brand(texts) ?? storeName, bodyClass: P.frame.bodyClass, width: P.frame.width, isFlow: P.frame.isFlow,
      isSandbox: isSandbox,
      isLoggedIn: look.isLoggedIn, refresh: P.frame.refresh, content: content ?? "")
    return library.render(LayoutContext(t: table, layout: layout), withTemplate: "layout") ?? ""
  }

  /// The fields of a part of a form.
  package func html<F: PageFields>(_ fields: F, look: PageLook) -> String {
    let context = FieldsContext(t: Texts(look.language).byName, fields: fields)
    return library.render(context, withTemplate: Self.name(F.self)) ?? ""
  }

  /// The parsed templates of this process by their text.
  private static let parsed = Mutex<[String: MustacheTemplate]>([:])

  private static func parse(_ text: String) -> MustacheTemplate {
    if let known = parsed.withLock({ $0[text] }) { return known }
    do {
      let template = try MustacheTemplate(string: text)
      parsed.withLock { $0[text] = template }
      return template
    } catch {
      preconditionFailure("A template cannot be read (\(error)): \(text)")
    }
  }

  private static func name(_ template: Any.Type) -> String { String(describing: template) }
}

private struct PageContext<P: Page> {
  var t: [String: String]
  var csrf: String
  var formPage: String?
  var page: P
}

private struct FieldsContext<F: PageFields> {
  var t: [String: String]
  var fields: F
}

private struct LayoutContext {
  var t: [String: String]
  var layout: Layout
}
