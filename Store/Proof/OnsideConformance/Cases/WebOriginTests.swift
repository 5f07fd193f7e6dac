import ConformanceTable
import Foundation
import OnsideKit
import StoreTestSupport
import Testing

/// Which pages reach native code.
@MainActor
@Suite("Web pages: origins and frames", .serialized, .webColumns, .webInstalled, .timeLimit(.minutes(10)))
struct WebOriginTests {
  /// JavaScript that checks whether a page can call anything of `window.onside`.
  private static let reach = """
    window.onside ? onside.getTransactions().then(() => 'reached', (error) => error.code ?? 'refused') : 'none'
    """

  @Test("JSB-6: a page of the allowed origin reaches native code, and one of a look-alike does not")
  func origins() async throws {
    try await Web.run { web in
      let value = try await web.page.json(Self.reach)
      #expect(value == "\"reached\"")
      for host in ["localhost", "127.0.0.1.nip.localhost"] {
        try await web.page.open(try web.site.address("/", host: host))
        let secondValue = try await web.page.json(Self.reach)
        #expect(secondValue != "\"reached\"", "\(host)")
      }
      try await web.page.open(try web.site.address())
      let thirdValue = try await web.page.json(Self.reach)
      #expect(thirdValue == "\"reached\"")
    }
  }

  @Test("JSB-6: another port is another origin")
  func port() async throws {
    try await Web.run { web in
      let other = try await PageSite.open()
      other.headTag = web.site.headTag
      try await web.page.open(try other.address())
      let value = try await web.page.json(Self.reach)
      #expect(value != "\"reached\"")
      await other.close()
    }
  }

  @Test("JSB-6: no frame has window.onside, whatever its kind; the page around it keeps its own")
  func frames() async throws {
    try await Web.run { web in
      web.site.put("<script>parent.postMessage(!!window.onside, '*')</script>", at: "/inner")
      let inner = "<script>parent.postMessage(!!window.onside, '*')</script>"
      let escaped = inner.replacing("<", with: "&lt;").replacing("'", with: "&#39;")
      let data = inner.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
      let tag = web.site.headTag.replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
      web.site.put(
        """
        <script>globalThis.said = []; addEventListener('message', ({ data }) => said.push(data))</script>
        <iframe src="/inner"></iframe>
        <iframe src="/inner" sandbox="allow-scripts"></iframe>
        <iframe src="/inner" sandbox="allow-scripts allow-same-origin"></iframe>
        <iframe srcdoc="\(tag)\(escaped)"></iframe>
        <iframe src="data:text/html,\(data)"></iframe>
        """, at: "/outer")
      try await web.page.open(try web.site.address("/outer"))
      try await web.page.until("said.length === 5")
      let value = try await web.page.json("said")
      #expect(value == "[false,false,false,false,false]")
      let secondValue = try await web.page.json(Self.reach)
      #expect(secondValue == "\"reached\"")
    }
  }

  @Test(
    "JSB-6: a document at the allowed address whose server has sandboxed it has an origin of its own, and no way in")
  func sandboxed() async throws {
    try await Web.run { web in
      // The foreign page imitates a page of the origin, and includes the page's script itself.
      let disguise = "Object.defineProperty(window, 'origin', { value: location.origin })"
      let script = Column.current == .webView ? "<script>\(BridgeScript.webKitPage)</script>" : web.site.headTag
      for policy in ["sandbox allow-scripts", "sandbox allow-scripts allow-same-origin"] {
        web.site.put("<script>\(disguise)</script>\(script)", at: "/sandboxed", policy: policy)
        try await web.page.open(try web.site.address("/sandboxed"))
        let isAllowed = policy.hasSuffix("allow-same-origin")
        let reach = try await web.page.json(Self.reach)
        #expect((reach == "\"reached\"") == isAllowed, "\(policy)")
      }
    }
  }

  @Test("JSB-6 JSB-8: the result of a call of a page that is gone reaches no page, not even the foreign one after it")
  func navigatedAway() async throws {
    try await Web.run { web in
      let asked = Latch()
      web.device.user.next(.login) { visit in
        asked.open()
        return try await visit.logIn()
      }
      try await web.page.run("onside.requestLogin().then(() => {}, () => {})")
      try await asked.passed()
      let away = try web.site.address("/away", host: "localhost")
      try await web.page.open(away)
      try await NamedDeadline.wait(for: "the login of the page that is gone") { web.device.queue.storefront != nil }
      let value = try await web.page.json("[typeof heard, heard.length]")
      #expect(value == #"["object",0]"#)
      let secondValue = try await web.page.json(Self.reach)
      #expect(secondValue != "\"reached\"")
    }
  }
}
