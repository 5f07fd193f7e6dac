import Synchronization
import Testing

@testable import OnsideStore
@testable import StorePayments
@testable import StoreSales
@testable import StoreStripe
@testable import StoreWeb

@Suite("Every page in every state", .timeLimit(.minutes(5)))
struct PageChecksTests {
  private static let renderer = PageRenderer(storeName: "Onside", isSandbox: true, pages: PageCatalogue.all)

  private typealias Scan = (name: String, html: String, scan: HTMLScan)

  /// The samples of each language, rendered once for all tests.
  private static let rendered = Mutex<[Language: [Scan]]>([:])

  private static func scans(_ language: Language) throws -> [Scan] {
    if let known = rendered.withLock({ $0[language] }) { return known }
    let made = PageSamples.all(language).map { sample in
      let look = PageLook(language: language, theme: .auto, csrf: "token", isLoggedIn: false)
      let html = renderer.html(sample.page, look: look)
      return (sample.name, html, HTMLScan(html))
    }
    rendered.withLock { $0[language] = made }
    return made
  }

  @Test("The samples cover every page")
  func coverage() {
    let shown = Set(PageSamples.all(.english).map { String(describing: type(of: $0.page)) })
    #expect(shown == Set(PageCatalogue.all.map { String(describing: $0) }))
  }

  @Test("SEC-4: language, direction, title, one heading, one main part", arguments: Language.allCases)
  func structure(language: Language) throws {
    for (name, html, scan) in try Self.scans(language) {
      #expect(scan.faults == [], "\(name)")
      let root = try #require(scan.all("html").first)
      #expect(root["lang"] == language.rawValue)
      #expect(root["dir"] == (language == .arabic ? "rtl" : "ltr"))
      #expect(scan.all("title").first?.text.contains("Onside") == true)
      #expect(scan.all("h1").count == 1, "\(name)")
      #expect(scan.all("main").count == 1)
      #expect(!html.contains("{{") && !html.contains("Optional("), "\(name)")
      #expect(!scan.all("body")[0].text.contains("{"), "\(name) has a word that was not put in")
    }
  }

  @Test("SEC-4: everything to fill in has a label, everything to press has a name", arguments: Language.allCases)
  func names(language: Language) throws {
    for (name, _, scan) in try Self.scans(language) {
      for control in scan.all("input", "select", "textarea") where control["type"] != "hidden" {
        let label = scan.all("label").first { $0["for"] == control["id"] && control["id"] != nil }
        let isInside = control.path.contains("label")
        #expect(isInside || label?.text.isEmpty == false, "\(name): \(control.attributes)")
      }
      for control in scan.all("button", "a", "summary", "legend", "option", "label", "h1", "h2") {
        #expect(!control.text.filter { !$0.isWhitespace }.isEmpty, "\(name): \(control.name) \(control.attributes)")
      }
      for image in scan.all("svg") { #expect(image["aria-hidden"] == "true", "\(name)") }
    }
  }

  @Test("SEC-4: descriptions and errors belong to their fields, ids are unique", arguments: Language.allCases)
  func references(language: Language) throws {
    for (name, _, scan) in try Self.scans(language) {
      let ids = scan.elements.compactMap { $0["id"] }
      #expect(Set(ids).count == ids.count, "\(name)")
      for element in scan.elements {
        for attribute in ["aria-describedby", "aria-labelledby", "for"] {
          for id in (element[attribute] ?? "").split(separator: " ") {
            #expect(scan.element(id: String(id)) != nil, "\(name): \(id)")
          }
        }
      }
      for error in scan.elements where error["class"] == "error" {
        #expect(error["role"] == "alert")
        let id = try #require(error["id"])
        #expect(scan.elements.contains { $0["aria-describedby"]?.contains(id) == true }, "\(name)")
      }
    }
  }

  @Test("SEC-4: the keyboard goes through the page in reading order and can skip the header")
  func keyboard() throws {
    for (name, _, scan) in try Self.scans(.english) {
      #expect(scan.elements.allSatisfy { Int($0["tabindex"] ?? "0").map { $0 <= 0 } ?? false }, "\(name)")
      let first = scan.elements.first { $0.name == "a" || $0.name == "button" || $0.name == "input" }
      #expect(first?["href"] == "#main", "\(name)")
      #expect(scan.element(id: "main")?.name == "main")
      #expect(scan.elements.filter { $0["autofocus"] != nil }.count <= 1, "\(name)")
      // What goes on comes before what gives up.
      let buttons = scan.all("button").map(\.text)
      if let cancel = buttons.firstIndex(of: "Cancel") { #expect(cancel == buttons.count - 1, "\(name)") }
    }
  }

  @Test("SEC-4: phones show the right keyboard and fill in numbers and codes")
  func inputModes() throws {
    let scans = try Self.scans(.english)
    let phone = try #require(scans.first { $0.name == "phone" }?.scan.element(id: "phone"))
    #expect(phone["type"] == "tel" && phone["inputmode"] == "tel" && phone["autocomplete"] == "tel")
    let code = try #require(scans.first { $0.name == "code" }?.scan.element(id: "code"))
    #expect(code["inputmode"] == "numeric" && code["autocomplete"] == "one-time-code")
  }

  @Test("SEC-2: no page has a script but those of payment providers, and no field takes a card number")
  func noScripts() throws {
    for (name, html, scan) in try Self.scans(.english) {
      #expect(scan.all("iframe", "object", "embed", "style", "base").isEmpty, "\(name)")
      let scripts = scan.all("script")
      let known = [StripeSettings.script, StripeCardPage.script.path]
      #expect(scripts.map { $0["src"] } == (name.hasPrefix("stripe-") ? known : []), "\(name)")
      #expect(scripts.allSatisfy { $0.text.isEmpty }, "\(name)")
      for element in scan.elements where element.name != "script" {
        #expect(!element.attributes.keys.contains { $0.hasPrefix("on") || $0 == "style" }, "\(name)")
        for address in [element["href"], element["src"], element["action"]].compactMap(\.self) {
          #expect(!address.lowercased().hasPrefix("javascript:") && !address.hasPrefix("http"), "\(name): \(address)")
        }
        #expect(element["autocomplete"]?.hasPrefix("cc-") != true, "\(name)")
      }
      #expect(!html.contains("cardnumber") && !html.contains("cvc"))
      let typed = scan.all("input").filter { ["text", "number", "tel", nil].contains($0["type"]) }
      #expect(typed.allSatisfy { ["phone", "code", "account"].contains($0["id"]) }, "\(name)")
    }
  }

  @Test("SEC-3: every form that changes something carries the browser's token")
  func tokens() throws {
    for (name, _, scan) in try Self.scans(.english) {
      for (index, form) in scan.elements.enumerated() where form.name == "form" && form["method"] == "post" {
        let fields = scan.elements.filter { $0.parents.contains(index) && $0.name == "input" }
        #expect(fields.contains { $0["name"] == "csrf" && $0["value"] == "token" }, "\(name)")
        #expect(form["action"]?.hasPrefix("/") == true && form["action"]?.hasPrefix("//") == false, "\(name)")
      }
    }
  }

  @Test("Every page has a way on, and none of its links leads to what only programs read")
  func waysOn() throws {
    for (name, _, scan) in try Self.scans(.english) {
      // The front page of a store without apps leads on by its header.
      let part = name == "home-empty" ? "header" : "main"
      #expect(scan.elements.contains { ["a", "button"].contains($0.name) && $0.path.contains(part) }, "\(name)")
      let links = scan.all("a").compactMap { $0["href"] }
      #expect(!links.contains { $0.contains(".json") || $0.hasPrefix("/v1/") || $0 == "/healthz" }, "\(name)")
    }
  }

  @Test("A code page marks what is wrong: the code, or the button for a new one")
  func codeErrors() throws {
    let scans = try Self.scans(.english)
    let wrong = try #require(scans.first { $0.name == "code-error" }?.scan)
    #expect(wrong.element(id: "code")?["aria-invalid"] == "true" && wrong.element(id: "resend")?["class"] != "error")
    let limited = try #require(scans.first { $0.name == "code-limited" }?.scan)
    #expect(limited.element(id: "code")?["aria-invalid"] == nil && limited.element(id: "resend")?["class"] == "error")
    for scan in [wrong, limited] {
      #expect(scan.all("button").first { $0["aria-describedby"] == "resend" }?.text == "Send a new code")
      #expect(
        !scan.all("button").contains { $0.text == "Cancel" } && scan.all("a").contains { $0.text == "Change number" })
    }
  }

  @Test("The region of the shop's prices stands where it is changed: in the picker, or beside the way to the account")
  func shopRegion() throws {
    let scans = try Self.scans(.english)
    let visitor = try #require(scans.first { $0.name == "shop" }?.scan)
    #expect(visitor.all("select").count == 1 && visitor.all("details").isEmpty && !visitor.html(has: "Prices in:"))
    let account = try #require(scans.first { $0.name == "shop-account" }?.scan)
    #expect(account.all("select").isEmpty && account.html(has: "Prices in: Netherlands"))
    #expect(account.all("a").contains { $0["href"] == "/account" && $0.text.hasPrefix("Change") })
  }

  @Test("Templates name only what their page stores: anything else would silently show nothing")
  func storedNames() {
    for (name, page) in PageSamples.all(.english) {
      let stored = Set(Mirror(reflecting: page).children.compactMap(\.label))
      let named = Set(type(of: page).template.matches(of: /page\.(\w+)/).map { String($0.1) })
      #expect(named.isSubset(of: stored), "\(name): \(named.subtracting(stored))")
    }
  }

  @Test("SEC-3: whatever is put into a page is text, not markup")
  func escaping() throws {
    let hostile = #"<script>alert(1)</script>" onload='x' &"#
    let page = ShopPage(
      appName: hostile, appInitial: "<", path: "/shop/a", notice: hostile, country: "NL",
      products: [
        .init(
          id: hostile, title: hostile, description: hostile, kind: hostile, price: hostile, rhythm: hostile,
          offer: hostile, ends: hostile, sale: .offered(hostile, orderID: "1"))
      ], regions: [PageOption(value: hostile, label: hostile)])
    let scan = HTMLScan(Self.renderer.html(page, look: PageLook()))
    #expect(scan.faults == [])
    #expect(scan.all("script").isEmpty)
    #expect(!scan.elements.contains { $0.attributes["onload"] != nil })
  }
}

extension HTMLScan {
  fileprivate func html(has text: String) -> Bool { all("main").contains { $0.text.contains(text) } }
}
