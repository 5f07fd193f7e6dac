import Foundation
import HeadlessChromium
import StoreTestSupport
import Testing

@testable import OnsideStore
@testable import StoreWeb

/// Each visit has a browser and a folder of its own; no more run at a time than the process runs tests (script/test).
@Suite(
  "Every page in Chromium", .enabled(if: Chromium.path != nil, "needs Chromium"), .timeLimit(.minutes(15)),
  .onSQLite("the pages read no database"))
struct ChromiumPageTests {
  /// Writes every sample, or those with the names, as a file and opens each in turn.
  private func visit(
    _ language: Language, width: Int, dark: Bool = false, only names: Set<String>? = nil,
    _ check: (Chromium, String) async throws -> Void
  ) async throws {
    let samples = PageSamples.all(language).filter { names?.contains($0.name) ?? true }
    if let names { try #require(names.isSubset(of: samples.map { $0.name })) }
    let folder = try TemporaryFolder()
    let renderer = PageRenderer(storeName: "Onside", isSandbox: true, pages: PageCatalogue.all)
    try StyleSheet.current.text.write(toFile: folder.file("style.css"), atomically: true, encoding: .utf8)
    let chromium = try await Chromium.start()
    do {
      try await chromium.show(width: width, dark: dark)
      for sample in samples {
        let html = renderer.html(sample.page, look: PageLook(language: language, csrf: "c"))
          .replacing(StyleSheet.current.path, with: "style.css")
          .replacing(#/<meta http-equiv="refresh"[^>]*>/#, with: "")
        let file = folder.file("\(sample.name).html")
        try html.write(toFile: file, atomically: true, encoding: .utf8)
        try await chromium.open("file://" + file)
        try await check(chromium, sample.name)
      }
      await chromium.stop()
    } catch {
      await chromium.stop()
      throw error
    }
  }

  @Test(
    "SEC-4: contrast, target sizes and reflow, measured on the page", arguments: [Language.english, .arabic],
    [true, false])
  func measures(language: Language, dark: Bool) async throws {
    try await visit(language, width: 390, dark: dark) { chromium, name in
      let contrast: [String] = try await chromium.evaluate(PageProbe.contrast)
      #expect(contrast == [], "\(name)")
      let targets: [String] = try await chromium.evaluate(PageProbe.targets)
      #expect(targets == [], "\(name)")
      let overflow: [String] = try await chromium.evaluate(PageProbe.overflow)
      #expect(overflow == [], "\(name)")
    }
  }

  @Test("SEC-4: nothing is cut off at 200 % (640 pixels wide) and at 400 % (320)", arguments: Language.allCases)
  func reflow(language: Language) async throws {
    try await visit(language, width: 640) { chromium, name in
      for width in [640, 320] {
        try await chromium.show(width: width)
        try await chromium.wait(until: "innerWidth === \(width)")
        let overflow: [String] = try await chromium.evaluate(PageProbe.overflow)
        #expect(overflow == [], "\(name), \(width) pixels wide")
      }
    }
  }

  @Test(
    "SEC-4: assistive technology is told language, title, headings in order, and a name for everything to be used",
    arguments: [Language.german, .arabic])
  func names(language: Language) async throws {
    let fields: Set<String> = ["textbox", "radio", "checkbox", "combobox", "spinbutton"]
    let pressed: Set<String> = ["button", "link", "DisclosureTriangle", "option"]
    try await visit(language, width: 390) { chromium, name in
      let nodes = try await chromium.accessibilityTree()
      let used = nodes.filter { $0.isFocusable && $0.role != "RootWebArea" && $0.role != "main" }
      #expect(!used.isEmpty, "\(name)")
      for node in used {
        #expect(!node.name.isEmpty, "\(name): a \(node.role) has no name")
        #expect(fields.contains(node.role) || pressed.contains(node.role), "\(name): \(node.role) \(node.name)")
      }
      #expect(nodes.filter { $0.role == "RootWebArea" && $0.name.hasSuffix(" – Onside") }.count == 1, "\(name)")
      #expect(nodes.filter { $0.role == "main" }.count == 1, "\(name)")
      let levels = nodes.filter { $0.role == "heading" }.compactMap(\.level)
      #expect(levels.first == 1 && levels.filter { $0 == 1 }.count == 1, "\(name): \(levels)")
      #expect(zip(levels, levels.dropFirst()).allSatisfy { $1 <= $0 + 1 }, "\(name): \(levels)")
      let faults: [String] = try await chromium.evaluate(PageProbe.structure)
      #expect(faults == [], "\(name)")
      let root: [String] = try await chromium.evaluate("(e => [e.lang, e.dir])(document.documentElement)")
      #expect(root == [language.rawValue, language.direction], "\(name)")
      if name == "phone-error", language == .german {
        let field = nodes.first { $0.role == "textbox" }
        #expect(field?.description.contains("Ländervorwahl") == true)
      }
    }
  }

  @Test(
    "SEC-4: Tab goes through everything in reading order, and the focus can always be seen",
    arguments: [Language.english, .arabic])
  func keyboard(language: Language) async throws {
    try await visit(language, width: 390) { chromium, name in
      // Takes the focus from a field that has it, so that Tab begins with the first control.
      let _: Bool = try await chromium.evaluate(
        "document.body.tabIndex = -1, document.body.focus(), scrollTo(0, 0), true")
      // Tab goes to one radio button of a group.
      let count: Int = try await chromium.evaluate(
        "new Set([...document.querySelectorAll('a[href],button,select,summary,textarea,input:not([type=hidden])')]"
          + ".filter(e => e.checkVisibility() && !e.disabled).map(e => e.type === 'radio' ? e.name : e)).size")
      var places: [Int] = []
      for _ in 0...count {
        try await chromium.press(.tab)
        let focus: [String] = try await chromium.evaluate(PageProbe.focus)
        guard focus.count == 3, let place = Int(focus[0]), !places.contains(place) else { break }
        #expect(focus[1] == "seen", "\(name): \(focus[2])")
        places.append(place)
      }
      #expect(places.count == count, "\(name)")
      let start = places.firstIndex(of: places.min() ?? 0) ?? 0
      let order = Array(places[start...] + places[..<start])
      #expect(order == order.sorted(), "\(name)")
    }
  }

  @Test("Header and column have one width on a desktop, on every page")
  func oneWidth() async throws {
    try await visit(.english, width: 1280) { chromium, name in
      let edges: [Double] = try await chromium.evaluate(
        "['.header','main'].flatMap(s => (r => [r.left, r.right])(document.querySelector(s).getBoundingClientRect()))")
      // The bank's page is another site's, with a bar from side to side.
      guard name != "second-step" else { return }
      #expect(edges.count == 4 && edges[0] == edges[2] && edges[1] == edges[3], "\(name): \(edges)")
    }
  }

  @Test("SEC-4: untranslated texts align with their card", arguments: [Language.english, .arabic])
  func alignment(language: Language) async throws {
    try await visit(language, width: 390) { chromium, name in
      let sides: [String] = try await chromium.evaluate(
        "[...document.querySelectorAll('[dir=auto]')].map(e => getComputedStyle(e).textAlign)")
      #expect(Set(sides).isSubset(of: [language == .arabic ? "right" : "left"]), "\(name): \(sides)")
      if name == "shop" { #expect(sides.count == 8) }
    }
  }

  @Test("The button beside a region is quiet until another region is chosen, without a script")
  func quietUntilChanged() async throws {
    try await visit(.english, width: 390, only: ["shop", "account"]) { chromium, name in
      let look = "getComputedStyle(document.querySelector('.picker .button')).backgroundColor"
      let quiet: String = try await chromium.evaluate(look)
      let changed: String = try await chromium.evaluate("document.getElementById('country').value = 'DE', \(look)")
      let back: String = try await chromium.evaluate("document.getElementById('country').value = 'NL', \(look)")
      #expect(quiet == "rgba(0, 0, 0, 0)" && changed != quiet && back == quiet, "\(name): \(changed), \(back)")
    }
  }

  @Test("The button for a new code looks inactive while it waits, and not any longer")
  func waiting() async throws {
    try await visit(.english, width: 390, only: ["code"]) { chromium, _ in
      let look = "getComputedStyle(document.querySelector('.waiting')).color"
      let delay: Double = try await chromium.evaluate(
        "document.querySelector('.waiting').getAnimations()[0].effect.getTiming().delay")
      #expect(delay == 30_000)
      let inactive: String = try await chromium.evaluate(look)
      let muted: String = try await chromium.evaluate("getComputedStyle(document.querySelector('.muted')).color")
      #expect(inactive == muted)
      let active: String = try await chromium.evaluate(
        "document.getAnimations().forEach(a => a.finish()), \(look)")
      #expect(active != inactive)
      let isGone: Bool = try await chromium.evaluate(
        "!document.getElementById('resend').checkVisibility({visibilityProperty: true})")
      #expect(isGone)
    }
  }

  @Test("SEC-4: who asked for less motion gets none")
  func motion() async throws {
    try await visit(.english, width: 390, only: ["pending"]) { chromium, _ in
      let moving: String = try await chromium.evaluate(
        "getComputedStyle(document.querySelector('.spinner')).animationDuration")
      #expect(moving == "1s")
      try await chromium.show(width: 390, reducedMotion: true)
      let still: String = try await chromium.evaluate(
        "getComputedStyle(document.querySelector('.spinner')).animationIterationCount")
      #expect(still == "1")
    }
  }
}
