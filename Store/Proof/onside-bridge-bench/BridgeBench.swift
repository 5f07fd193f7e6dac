import Foundation
import OnsideKit
import OnsideWebKitGTK

/// Measures `window.onside` in a web view, and beside it a message handler of WebKit that answers with an empty text.
/// Usage: onside-bridge-bench ADDRESS FILE [memory]; ADDRESS serves `Store/Proof/Peers/Bridge`, FILE is a
/// `.storekit` file.
/// Prints one line of JSON; `bench.py` runs it in turns with the peers. With `memory` it prints whether memory is flat.
@main
struct BridgeBench {
  static let transactions = 1_000

  static func main() async throws {
    let arguments = CommandLine.arguments
    guard (3...4).contains(arguments.count), let address = URL(string: arguments[1]),
      let origin = WebOrigin(arguments[1])
    else {
      throw BenchError("expected an address and a .storekit file, got \(arguments.dropFirst())")
    }
    let shop = try await BenchApp(storeKitFile: URL(filePath: arguments[2]))
    let page = address.appending(path: "page.html")
    if arguments.last == "memory" {
      var bench = MemoryBench(shop: shop, page: page, origin: origin.description)
      try await bench.run()
      exit(bench.isMet ? 0 : 1)
    }
    let view = try await OnsideWebWindow.open("Bridge")
    try await OnsideJS.configureOnsideForWebView(view, allowedOrigins: [origin.description], bridge: shop.bridge)
    try await RawHandler.add(to: view)
    let plain = try await OnsideWebWindow.open("Plain")
    try await view.load(page)

    let calls = try await view.run(Scripts.calls)
    try await shop.fill(transactions)
    let first = try await view.run(Scripts.firstTransactions)
    let listed = try await view.run(Scripts.transactions)
    let ofPages = try await firstOfPages(page, in: view, of: shop)
    let load = try await loads(page, with: view, without: plain)
    print(#"{"calls":\#(calls),"first":\#(first),"ofPage":\#(ofPages),"transactions":\#(listed),"load":\#(load)}"#)
    exit(0)
  }

  /// The median of the first calls of pages, in milliseconds. Something has been bought before each is loaded.
  private static func firstOfPages(_ page: URL, in view: OnsideWebWindow, of shop: BenchApp) async throws -> Double {
    var times: [Double] = []
    for more in 1...7 {
      try await shop.fill(1, to: transactions + more)
      try await view.load(page)
      times.append(Double(try await view.run(Scripts.firstTransactions)) ?? .infinity)
    }
    return times.sorted()[times.count / 2]
  }

  /// Medians of page loads by turns, as the page itself sees them.
  private static func loads(
    _ page: URL, with view: OnsideWebWindow, without plain: OnsideWebWindow
  ) async throws -> String {
    var times: (with: [Double], without: [Double]) = ([], [])
    for _ in 0..<25 {
      times.with.append(try await load(page, in: view))
      times.without.append(try await load(page, in: plain))
    }
    func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
    return #"{"with":\#(median(times.with)),"without":\#(median(times.without))}"#
  }

  private static func load(_ page: URL, in view: OnsideWebWindow) async throws -> Double {
    try await view.load(page)
    let text = try await view.run("return String(performance.getEntriesByType('navigation')[0].loadEventEnd)")
    guard let time = Double(text) else { throw BenchError("expected a time, got \(text)") }
    return time
  }
}

/// The scripts that the page runs; `measure` is in measure.js.
enum Scripts {
  /// The raw handler, then `window.onside`.
  static let calls = """
    const handler = window.webkit.messageHandlers.raw;
    const calls = [() => handler.postMessage(''), () => window.onside.getCurrentStorefront()];
    return JSON.stringify(await measureByTurns(calls));
    """
  /// The time of the first call, in milliseconds.
  static let firstTransactions = """
    const start = performance.now();
    await window.onside.getTransactions();
    return String(performance.now() - start);
    """
  /// The median time of a few calls, in milliseconds.
  static let transactions = """
    const times = [];
    for (let index = 0; index < 15; index += 1) {
      const start = performance.now();
      const all = await window.onside.getTransactions();
      if (all.length !== \(BridgeBench.transactions)) throw new Error(`${all.length} transactions`);
      times.push(performance.now() - start);
    }
    return String(times.sort((a, b) => a - b)[7]);
    """
}

struct BenchError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
