import Foundation
import Testing

@testable import OnsideKit

@MainActor
@Suite(
  "window.onside in a JavaScript engine", .timeLimit(.minutes(5)), .enabled(if: NodePage.node != nil, "needs node"))
struct NodeBridgeTests {
  private func page(_ harness: BridgeHarness, prelude: String = "") throws -> NodePage {
    try NodePage(harness.bridge.makeView(), prelude: prelude)
  }

  @Test(
    "JSB-1: a page loads, logs in, buys, is told, and finishes, whichever script is first", arguments: [false, true])
  func wholeWay(relayFirst: Bool) async throws {
    let harness = try BridgeHarness()
    let page = try NodePage(harness.bridge.makeView(), relayFirst: relayFirst)
    let heard = try await page.run(
      """
      const { onside } = window, heard = [];
      await onside.initializeOnside('v1');
      onside.onStorefrontChanged = (storefront) => heard.push(storefront.countryCode);
      heard.push(await onside.getCurrentStorefront());
      const { products } = await onside.loadProducts({ productIdentifiers: ['\(LocalFile.coins)'] });
      heard.push(products[0].price.value);
      const paid = new Promise((resolve) => {
        onside.onTransactionsUpdated = (all) => all.forEach((one) => {
          heard.push(one.transactionState);
          if (one.transactionState === 'purchased') resolve(one);
        });
      });
      await onside.purchase({ productIdentifier: products[0].productIdentifier, appAccountToken: 'u\\u20281' });
      const bought = await paid;
      heard.push(bought.payment.appAccountToken, (await onside.getTransactions()).length);
      const removed = new Promise((resolve) => { onside.onTransactionsRemoved = resolve; });
      await onside.finishTransaction(bought.id);
      heard.push((await removed)[0].id === bought.id, (await onside.getTransactions()).length);
      return heard;
      """)
    #expect(heard == "[null,0.99,\"NL\",\"purchasing\",\"purchased\",\"u\u{2028}1\",1,true,0]")
    await harness.client.close()
  }

  @Test("JSB-1: window.onside has the functions and callbacks as properties of its own, and tests can replace each")
  func shape() async throws {
    let page = try page(BridgeHarness())
    let names = try await page.run("return Object.getOwnPropertyNames(onside)")
    let texts = try JSON(names).items.compactMap(\.text)
    #expect(texts == BridgeFunction.all.map(\.name) + BridgeCallback.all.map(\.name))
    let replaced = try await page.run(
      """
      'use strict';
      const calls = [], before = window.onside;
      onside.purchase = (request) => calls.push(request.productIdentifier);
      onside.purchase({ productIdentifier: 'coins' });
      Object.defineProperty(onside, 'logout', { value: () => calls.push('logout') });
      onside.logout();
      window.onside = { purchase: () => calls.push('other') };
      window.onside.purchase();
      window.onside = before;
      return [...calls, before.requestLogin.name, (await before.getTransactions()).length];
      """)
    #expect(replaced == #"["coins","logout","other","requestLogin",0]"#)
  }

  @Test("JSB-5: a callback can be deleted, is not called then, and can be set again")
  func deletedCallback() async throws {
    let harness = try BridgeHarness()
    let page = try page(harness)
    let heard = try await page.run(
      """
      'use strict';
      const heard = [];
      const next = () => new Promise((resolve) => {
        onside.onStorefrontChanged = (storefront) => { heard.push(storefront && storefront.countryCode); resolve(); };
      });
      load();
      const first = next();
      await onside.requestLogin();
      await first;
      delete onside.onStorefrontChanged;
      const isGone = !('onStorefrontChanged' in onside);
      onside.logout();
      await onside.getTransactions();
      await next();
      return [isGone, ...heard];
      """)
    #expect(heard == #"[true,"NL",null]"#)
    #expect(page.logged.isEmpty)
  }

  @Test("JSB-1: a classic script may begin with `const { onside } = window`")
  func classicScript() async throws {
    let page = try page(BridgeHarness())
    let types = try await page.run(
      """
      vm.runInThisContext('const { onside } = window; globalThis.before = [typeof onside, onside === window.onside]');
      return [...before, typeof window.onside.purchase];
      """)
    #expect(types == #"["object",true,"function"]"#)
  }

  @Test(
    "JSB-2: functions without parameters ignore arguments, whatever they are",
    arguments: BridgeFunction.all.filter { $0.parameter == nil }.map(\.name))
  func ignoredArguments(function: String) async throws {
    let harness = try BridgeHarness()
    harness.shopper.set { $0.name = nil }
    let page = try page(harness)
    let codes = try await page.run(
      """
      const cyclic = {}; cyclic.self = cyclic;
      const all = [cyclic, 1n, () => {}, new Event('click'), 'x'.repeat(17e6)];
      const outcomes = await Promise.all(all.map((one) => outcome(Promise.resolve(onside.\(function)(one, one)))));
      return outcomes.map(({ error }) => error && error.code).filter((code) => code);
      """)
    #expect(codes == "[]")
    #expect(page.logged.isEmpty)
  }

  @Test(
    "JSB-2: setters, trackEvent, logout and cancelLogin return undefined, also when their argument is wrong",
    arguments: BridgeFunction.all.filter(\.isFireAndForget).map(\.name))
  func fireAndForget(function: String) async throws {
    let page = try page(BridgeHarness())
    let results = try await page.run(
      """
      const cyclic = {}; cyclic.self = cyclic;
      const results = [undefined, 'light', true, 7, cyclic, 1n, Symbol('s')].map((one) => onside.\(function)(one));
      await onside.getTransactions(); await task();
      return results.filter((one) => one !== undefined).length;
      """)
    #expect(results == "0")
    #expect(!page.logged.contains { $0.hasPrefix("unhandled") })
  }

  @Test("JSB-2: the console shows the error of a setter with a wrong argument")
  func wrongSetter() async throws {
    let page = try page(BridgeHarness())
    _ = try await page.run("onside.setAppearance('blue'); await onside.getTransactions(); await task();")
    #expect(page.logged.count == 1)
    #expect(page.logged.first?.hasPrefix("OnsideBridgeError: setAppearance") == true, "\(page.logged)")
  }

  @Test("JSB-2: a function with an optional parameter ignores the event that a button passes")
  func optionalParameter() async throws {
    let page = try page(BridgeHarness())
    let errors = try await page.run(
      """
      const cyclic = {}; cyclic.self = cyclic;
      const outcomes = await Promise.all(
        [new Event('click'), cyclic, null].map((one) => outcome(onside.presentSubscriptionsManager(one))));
      const codes = outcomes.map(({ error }) => error?.code ?? 'shown');
      return [...new Set(codes), (await outcome(onside.presentSubscriptionsManager(7))).error.code];
      """)
    #expect(errors == #"["shown","invalidArguments"]"#)
  }

  @Test("JSB-2, JSB-9: parameters without a JSON form reject, and nothing throws")
  func parameters() async throws {
    let page = try page(BridgeHarness())
    let outcomes = try await page.run(
      """
      const cyclic = {}; cyclic.self = cyclic;
      const bad = [cyclic, 1n, () => {}, Symbol('s'), { get name() { throw new Error('no') } },
        { toJSON() { throw { toString() { throw 1 } } } }];
      const outcomes = await Promise.all(bad.map((one) => outcome(onside.purchase(one))));
      return outcomes.map(({ error }) => error.name + ' ' + error.code);
      """)
    let result = Set(try JSON(outcomes).items.map(\.text))
    #expect(result == ["OnsideBridgeError parametersNotRepresentable"])
    #expect(page.logged.isEmpty)
    _ = try await page.run("onside.purchase(1n); await task(); await task();")
    #expect(page.logged == ["unhandled: OnsideBridgeError"])
  }

  @Test("JSB-3: domain errors are plain objects, everything else is an OnsideBridgeError with a code")
  func errors() async throws {
    let page = try page(BridgeHarness())
    let outcomes = try await page.run(
      """
      return [await outcome(onside.finishTransaction('x')), await outcome(onside.purchase({})),
        await outcome(onside.initializeOnside('v2'))];
      """)
    let results = try JSON(outcomes).items.compactMap { $0["error"] }
    #expect(results[0] == .object(["unknownTransaction": .object([:])]))
    #expect(results.dropFirst().map { $0["name"]?.text } == ["OnsideBridgeError", "OnsideBridgeError"])
    #expect(results.dropFirst().map { $0["code"]?.text } == ["invalidArguments", "invalidArguments"])
  }

  @Test("JSB-9: a page that replaces what the script uses, and pollutes prototypes, breaks nothing")
  func tampering() async throws {
    let harness = try BridgeHarness()
    let page = try page(harness)
    let result = try await page.run(
      """
      const Fault = Error;
      const bad = function () { throw new Fault('replaced') };
      for (const target of [JSON, Reflect, Object]) for (const name of Object.getOwnPropertyNames(target))
        if (typeof target[name] === 'function') target[name] = bad;
      for (const type of [Array, String, Map, EventTarget, Event, CustomEvent, MessagePort, Function])
        for (const name of ['push', 'map', 'forEach', 'join', 'indexOf', 'substring', 'dispatchEvent', 'postMessage',
          'slice', 'get', 'set'])
          if (type.prototype[name]) type.prototype[name] = bad;
      Promise.prototype.then = bad; Promise.resolve = bad; Promise.prototype.catch = bad;
      globalThis.Promise = globalThis.JSON = globalThis.CustomEvent = globalThis.queueMicrotask = bad;
      globalThis.Error = globalThis.Object = globalThis.Reflect = globalThis.MessageChannel = bad;
      for (const name of ['results', 'rejection', 'events', 'gates', 'number', 'page', 'argument'])
        ({}).__proto__[name] = 'polluted';
      Array.prototype[Symbol.iterator] = bad;
      window.dispatchEvent = document.createElement = bad;
      const first = await onside.getCurrentStorefront();
      await onside.requestLogin();
      return [first, (await onside.getCurrentStorefront()).countryCode];
      """)
    #expect(result == #"[null,"NL"]"#)
  }

  @Test(
    "JSB-5: gates are yes when missing, throwing or answered with no boolean; only false is no",
    arguments: [
      ("undefined", true), ("7", true), ("() => { throw new Error('oh') }", true), ("() => {}", true),
      ("() => 'false'", true), ("() => 0", true), ("() => null", true), ("async () => { throw 1 }", true),
      ("() => ({ then(ok, no) { no(1) } })", true), ("() => true", true), ("async () => true", true),
      ("() => false", false), ("async () => false", false), ("() => ({ then(ok) { ok(false) } })", false),
      ("({ transaction }) => transaction.payment.product.productIdentifier === 'x'", false),
    ])
  func gates(_ handler: String, _ answer: Bool) async throws {
    let harness = try BridgeHarness()
    let page = try page(harness)
    let result = try await page.run(
      """
      onside.shouldContinueTransactionAfterLogin = \(handler);
      await onside.initializeOnside('v1');
      await onside.loadProducts({ productIdentifiers: ['\(LocalFile.coins)'] });
      return outcome(onside.purchase({ productIdentifier: '\(LocalFile.coins)' }));
      """)
    #expect(result == (answer ? "{}" : #"{"error":{"rejectedAfterLogin":{}}}"#))
  }

  @Test("JSB-5: a page whose gate waits for a person answers heartbeats; a signal says when no answer is needed")
  func signal() async throws {
    var limits = BridgeLimits()
    limits.gateDeadline = 2 * 1234.5
    let half = limits.gateDeadline / 2
    let harness = try BridgeHarness(limits: limits)
    let page = try page(harness)
    _ = try await page.run(
      """
      globalThis.aborted = [];
      AbortController.prototype.abort = Object.prototype.signal = null;
      onside.shouldContinueTransaction = ({ signal, storefront }) => new Promise(() => {
        signal.addEventListener('abort', () => aborted.push(storefront.countryCode, signal.aborted));
      });
      await onside.initializeOnside('v1');
      await onside.loadProducts({ productIdentifiers: ['\(LocalFile.coins)'] });
      """)
    let other = PageDouble(harness.bridge.makeView(), answer: nil)
    other.ready()
    let product = try #require(harness.bridge.products[LocalFile.coins])
    let storefront = OnsideStorefront(id: "other", countryCode: "BE")
    let transaction = OnsidePaymentTransaction(
      id: UUID(), transactionIdentifier: nil, originalTransactionIdentifier: nil,
      payment: OnsidePayment(product: product), transactionState: .purchasing, storefront: storefront,
      date: .distantPast)
    let delegate: any OnsidePaymentQueueDelegate = harness.bridge
    let answer = Task { [queue = harness.client.queue] in
      await delegate.onsidePaymentQueue(queue, shouldContinue: transaction, in: storefront)
    }
    for beat in 1...3 {
      #expect(await eventually { harness.world.clock.sleepers(endingIn: half) == 1 && other.gates.count == 1 })
      harness.world.clock.advance(half)
      #expect(await eventually { other.heartbeats == beat })
      _ = try await page.run("await onside.getTransactions()")
      #expect(harness.bridge.gates.count == 1)
    }
    other.answer(1, with: false)
    let answerValue = await answer.value
    #expect(answerValue == false)
    let result = try await page.run("while (!aborted.length) await task(); return aborted;")
    #expect(result == #"["BE",true]"#)
  }

  @Test("JSB-5: a missing handler is no fault, one that throws is reported to the console, and others are still called")
  func handlers() async throws {
    let page = try page(BridgeHarness())
    let heard = try await page.run(
      """
      const heard = [];
      Object.prototype.onTransactionsUpdated = () => heard.push('inherited');
      onside.onTransactionsUpdated = undefined;
      onside.onStorefrontChanged = () => { throw new TypeError('my fault') };
      onside.onRestoreCompletedTransactionsFinished = (...all) => heard.push('finished', all.length);
      load();
      await onside.restoreCompletedTransactions();
      while (!heard.length) await task();
      return heard;
      """)
    #expect(heard == #"["finished",0]"#)
    #expect(page.logged == ["TypeError: my fault"])
  }

  @Test("JSB-7: handlers that are set right after initializeOnside hear of everything that has waited")
  func ready() async throws {
    let harness = try BridgeHarness()
    let view = harness.bridge.makeView()
    try await harness.client.login()
    let page = try NodePage(view)
    let heard = try await page.run(
      """
      const heard = [];
      const start = async () => { await (async () => onside.initializeOnside('v1'))(); };
      await start();
      onside.onStorefrontChanged = ({ countryCode }) => heard.push(countryCode);
      while (!heard.length) await task();
      return heard;
      """)
    #expect(heard == #"["NL"]"#)
  }

  @Test("JSB-7: a page that sets its handlers long after load hears of everything that has waited, once")
  func lateHandlers() async throws {
    let harness = try BridgeHarness()
    let page = try page(harness)
    let heard = try await page.run(
      """
      const heard = [];
      load();
      await onside.requestLogin();
      await onside.getTransactions(); await task();
      const set = () => new Promise((resolve) => Object.defineProperty(onside, 'onStorefrontChanged', {
        configurable: true, value(storefront) { heard.push(storefront.countryCode, this === onside); resolve(); },
      }));
      await set();
      set();
      await onside.getTransactions(); await task();
      return heard;
      """)
    #expect(heard == #"["NL",true]"#)
  }

  @Test("JSB-9: a getter of the page's in place of a handler breaks no other callback")
  func throwingGetter() async throws {
    let page = try page(BridgeHarness())
    let heard = try await page.run(
      """
      Object.defineProperty(onside, 'onTransactionsUpdated', { configurable: true, get() { throw new Error('mine'); } });
      const changed = new Promise((resolve) => { onside.onStorefrontChanged = resolve; });
      load();
      await onside.requestLogin();
      return (await changed).countryCode;
      """)
    #expect(heard == #""NL""#)
    #expect(page.logged.contains("Error: mine"))
  }

  @Test("JSB-7: a document that comes back from the history works with its new page; what was open there rejects")
  func history() async throws {
    let harness = try BridgeHarness()
    harness.shopper.set { $0.hesitates = true }
    let page = try page(harness)
    _ = try await page.run("load(); await onside.getTransactions(); globalThis.login = outcome(onside.requestLogin());")
    #expect(await eventually { harness.shopper.logins == 1 })
    page.begin()
    let result = try await page.run(
      """
      pageshow();
      const storefront = await onside.getCurrentStorefront();
      const changed = new Promise((resolve) => { onside.onStorefrontChanged = resolve; });
      return [storefront, (await login).error.code, (await onside.getTransactions()).length];
      """)
    #expect(result == #"[null,"bridgeDetached",0]"#)
    harness.shopper.set { $0.hesitates = false }
    let actualResult = try await page.run(
      "await onside.requestLogin(); return (await onside.getCurrentStorefront()).countryCode")
    #expect(actualResult == #""NL""#)
  }

  @Test("JSB-8: without the relay a call rejects as soon as the page has loaded, and at once afterwards")
  func noRelay() async throws {
    let page = try NodePage(BridgeHarness().bridge.makeView(), prelude: "process.env.ONSIDE_RELAY = ''")
    let codes = try await page.run(
      """
      const early = outcome(onside.getTransactions());
      await task(); load();
      return [(await early).error.code, (await outcome(onside.requestLogin())).error.code];
      """)
    #expect(codes == #"["bridgeDetached","bridgeDetached"]"#)
  }

  @Test("JSB-8: a reply that cannot be read rejects the calls that it belongs to")
  func garbledReplies() async throws {
    let page = try NodePage(BridgeHarness().bridge.makeView(), garbles: true)
    let codes = try await page.run("return (await outcome(onside.getTransactions())).error.code")
    #expect(codes == #""bridgeDetached""#)
  }

  @Test("JSB-9: a megabyte of every kind of character comes back as it went, lone surrogates as U+FFFD")
  func payload() async throws {
    let harness = try BridgeHarness()
    let page = try page(harness)
    let result = try await page.run(
      """
      let text = '';
      for (let code = 0; code < 0x110000; code += code < 0x3000 ? 1 : 97) text += String.fromCodePoint(code);
      while (text.length < 1e6) text += text;
      const ids = [text, '\\ud800', 'a\\udc00b', '\\ud83d\\ude00'];
      const { invalidProductIdentifiers: back } = await onside.loadProducts({ productIdentifiers: ids });
      return [ids.every((id) => back.includes(id.toWellFormed())), back.length];
      """)
    #expect(result == "[true,4]")
  }

  @Test("JSB-10: 10,000 calls in flight settle, in order, and travel in few messages")
  func manyCalls() async throws {
    let page = try page(BridgeHarness())
    let result = try await page.run(
      """
      const order = [], all = [];
      for (let index = 0; index < 10000; index += 1) {
        const call = index % 2 ? onside.getTransactions() : onside.getCurrentStorefront();
        all.push(call.then(() => order.push(index)));
      }
      await Promise.all(all);
      const sorted = (kind) =>
        order.filter((index) => index % 2 === kind).every((one, at, list) => !at || one > list[at - 1]);
      return [order.length, sorted(0), sorted(1), lastNumber];
      """)
    let items = try JSON(result).items
    #expect(items.prefix(3) == [.number(10_000), .bool(true), .bool(true)])
    #expect(items.last?.int ?? 0 < 40)
  }

  @Test(
    "JSB-10: callers of the same function on end get values of their own, and whatever stands between is kept apart")
  func repeatedCalls() async throws {
    let harness = try BridgeHarness()
    let page = try page(harness)
    let result = try await page.run(
      """
      await onside.requestLogin();
      const storefronts = [1, 2, 3].map(() => onside.getCurrentStorefront());
      const lists = [onside.getTransactions(), onside.getTransactions()];
      const out = onside.logout();
      const after = [onside.getCurrentStorefront(), onside.getCurrentStorefront()];
      const [one, two, three] = await Promise.all(storefronts);
      two.countryCode = 'XX';
      const [first, second] = await Promise.all(lists);
      return [
        one.countryCode, three.countryCode, three.id === one.id, one !== three, first !== second,
        ...await Promise.all(after),
      ];
      """)
    #expect(result == #"["NL","NL",true,true,true,null,null]"#)
  }

  @Test("JSB-10: messages that arrive in another order are handled in theirs")
  func reordered() async throws {
    let harness = try BridgeHarness()
    let page = try NodePage(harness.bridge.makeView(), slowReplies: true)
    let heard = try await page.run(
      """
      const heard = [];
      onside.onStorefrontChanged = (storefront) => heard.push(storefront && storefront.countryCode);
      load();
      await Promise.all([
        onside.getCurrentStorefront().then((storefront) => heard.push(storefront)),
        onside.requestLogin().then(() => heard.push('in')),
      ]);
      onside.logout();
      heard.push(await onside.getCurrentStorefront());
      await task();
      return heard;
      """)
    #expect(heard == #"[null,"NL","in",null,null]"#)
  }
}
