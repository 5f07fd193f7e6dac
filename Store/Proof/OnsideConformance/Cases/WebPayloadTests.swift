import ConformanceTable
import Foundation
import OnsideCommerce
import OnsideKit
import OnsideStore
import StoreSales
import Testing

/// Large, strange and many messages.
@MainActor
@Suite("Web pages: payloads", .serialized, .webColumns, .webInstalled, .timeLimit(.minutes(10)))
struct WebPayloadTests {
  @Test("JSB-9: texts with every kind of character come to the app as they are, and back")
  func characters() async throws {
    try await Web.run { web in
      try await web.load(ExampleProducts.coins)
      let texts = [
        "\u{1}\u{7F}\u{2028}\u{2029}\u{FEFF}\u{FFFE}", "\"'`\\</script><!--${1}\r\n\t",
        "🧑🏽‍🚀🇳🇱 مرحبا é e\u{301} \u{10FFFF}",
      ]
      for text in texts {
        try await web.page.run(
          """
          globalThis.echo = new Promise((resolve) => {
            onside.onTransactionsUpdated = ([one]) => { if (one.transactionState === 'purchased') resolve(one); };
          });
          await onside.purchase({ productIdentifier: 'coins_100', appAccountToken: text });
          """, arguments: ["text": text])
        let same: Bool = try await web.page.value(
          "const one = await echo; await onside.finishTransaction(one.id); return one.payment.appAccountToken === text",
          arguments: ["text": text])
        #expect(same, "\(text.unicodeScalars.map(\.value))")
        let appAccountToken = try await web.system.orders(of: web.device.user).last?.appAccountToken
        #expect(appAccountToken == text)
      }
    }
  }

  @Test("JSB-9: a text with NUL, which no store keeps, is a typed error")
  func nul() async throws {
    try await Web.run { web in
      try await web.load(ExampleProducts.coins)
      let refused = try await web.page.json(
        "outcome(onside.purchase({ productIdentifier: 'coins_100', appAccountToken: 'a\\u0000b' }))")
      #expect(refused.contains("OnsideBridgeError"))
    }
  }

  @Test("JSB-9: a lone surrogate becomes U+FFFD, and the call succeeds")
  func surrogates() async throws {
    try await Web.run { web in
      try await web.load(ExampleProducts.coins)
      try await web.page.run(
        """
        globalThis.echo = new Promise((resolve) => {
          onside.onTransactionsUpdated = ([one]) => { if (one.transactionState === 'purchased') resolve(one); };
        });
        await onside.purchase({ productIdentifier: 'coins_100', appAccountToken: 'a\\ud800b' });
        """)
      let value = try await web.page.json("echo.then((one) => one.payment.appAccountToken === 'a\\ufffdb')")
      #expect(value == "true")
    }
  }

  @Test("JSB-9: a call of 1 MB goes to the app; one of 17 MB is refused, and the next call is taken")
  func large() async throws {
    try await Web.run { web in
      let unknown = #"{"rejection":{"unknownProduct":{}}}"#
      let buy = "outcome(onside.purchase({ productIdentifier: 'é'.repeat(500000) }))"
      let value = try await web.page.json(buy)
      #expect(value == unknown)
      let refused = try await web.page.json("outcome(onside.purchase({ productIdentifier: 'a'.repeat(17 << 20) }))")
      #expect(refused.contains("OnsideBridgeError"))
      let secondValue = try await web.page.json(buy)
      #expect(secondValue == unknown)
    }
  }

  @Test("JSB-9: a page that replaces what the language is made of harms only itself")
  func replaced() async throws {
    try await Web.run { web in
      web.site.put(
        """
        <script>
          const kept = [
            [JSON, 'parse'], [JSON, 'stringify'], [window, 'fetch'], [window, 'EventSource'], [window, 'CustomEvent'],
            [Promise.prototype, 'catch'], [Array.prototype, 'push'], [Array.prototype, 'shift'],
            [Array.prototype, 'forEach'], [Object, 'keys'], [Object, 'entries'], [Reflect, 'apply'],
            [Function.prototype, 'call'], [Function.prototype, 'apply'], [Function.prototype, 'bind'],
            [EventTarget.prototype, 'dispatchEvent'], [Response.prototype, 'text'], [String.prototype, 'split'],
          ].map(([object, name]) => [object, name, object[name]]);
          for (const [object, name] of kept) object[name] = () => { throw new Error(`the page's own ${name}`); };
          const end = (said) => {
            for (const [object, name, own] of kept) object[name] = own;
            globalThis.said = said;
          };
          onside.loadProducts({ productIdentifiers: ['coins_100'] })
            .then(({ products }) => end(products[0].productIdentifier), (error) => end(`${error}`));
        </script>
        """, at: "/replaced")
      try await web.page.open(try web.site.address("/replaced"))
      try await web.page.run("await until(() => globalThis.said)")
      let value = try await web.page.json("said")
      #expect(value == "\"coins_100\"")
    }
  }

  @Test("JSB-10: 10,000 calls in flight settle, each with its own outcome, in order per function")
  func many() async throws {
    try await Web.run { web in
      let outcomes: [Int] = try await web.page.value(
        """
        const order = { getTransactions: [], getCurrentStorefront: [], finishTransaction: [], purchase: [] };
        const calls = [];
        for (let index = 0; index < 2500; index += 1) {
          const note = (name, kind) => (said) => { if (!kind || kind in said) order[name].push(index); };
          calls.push(
            onside.getTransactions().then(note('getTransactions')),
            onside.getCurrentStorefront().then(note('getCurrentStorefront')),
            onside.finishTransaction(`${index}`).catch(note('finishTransaction', 'unknownTransaction')),
            onside.purchase({ productIdentifier: `${index}` }).catch(note('purchase', 'unknownProduct')));
        }
        await Promise.all(calls);
        return Object.values(order).map((all) => all.length === 2500 && all.every((at, index) => at === index) ? 1 : 0);
        """)
      #expect(outcomes == [1, 1, 1, 1])
    }
  }
}
