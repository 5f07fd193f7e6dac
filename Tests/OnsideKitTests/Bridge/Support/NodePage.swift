import Foundation
import Synchronization
import Testing

@testable import OnsideKit

/// A page in Node: the scripts of a web view as they are, with the few globals of a document that they use. It is
/// connected to a ``BridgeView`` as a web view would be. Only where Node happens to be installed.
final class NodePage: Sendable {
  /// Where Node is, if it is anywhere.
  static let node: URL? = {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return folders.map { URL(filePath: String($0)).appending(path: "node") }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }()

  private struct State {
    var page: BridgePage?
    var lastCode = 0
    var results: [Int: CheckedContinuation<Line, Never>] = [:]
    var unread = Data()
    var hasEnded = false
  }

  /// What the page's process says.
  private struct Line: Decodable, Sendable {
    var say: String?
    var number: Int?
    var done: Int?
    var value: String?
    var error: String?
    var log: String?
  }

  struct Thrown: Error, CustomStringConvertible { let description: String }

  let view: BridgeView
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private let state = Mutex(State())
  private let errors = Mutex<[String]>([])

  /// Starts a page; `prelude` runs before every script, as code that a host would not run.
  init(_ view: BridgeView, prelude: String = "", relayFirst: Bool = false) throws {
    self.view = view
    process.executableURL = try #require(Self.node)
    process.arguments = ["--input-type=commonjs", "-e", Self.harness, "--", prelude]
    process.environment = [
      "ONSIDE_PAGE": BridgeScript.webKitPage, "ONSIDE_RELAY": BridgeScript.webKitRelay,
      "ONSIDE_PUSH": BridgeScript.webKitPushBody, "ONSIDE_ORDER": relayFirst ? "relay first" : "page first",
    ]
    process.standardInput = input
    process.standardOutput = output
    output.fileHandleForReading.readabilityHandler = { [weak self] handle in self?.took(handle.availableData) }
    begin()
    try process.run()
  }

  deinit {
    output.fileHandleForReading.readabilityHandler = nil
    if process.isRunning { process.terminate() }
  }

  /// What the console was told.
  var logged: [String] { errors.withLock { $0 } }

  /// A new page of the app for the same document, as one that comes back from the history gets.
  func begin() {
    let page = view.beginPage { [weak self] in self?.write(["push": $0]) }
    state.withLock { $0.page = page }
  }

  /// Runs the body of an async function in the page; its result is JSON.
  func run(_ code: String) async throws -> String {
    let id = state.withLock { state in
      state.lastCode += 1
      return state.lastCode
    }
    let line = await withCheckedContinuation { continuation in
      state.withLock { $0.results[id] = continuation }
      write(["code": code, "id": "\(id)"])
    }
    if let error = line.error { throw Thrown(description: error) }
    return line.value ?? "undefined"
  }

  private func write(_ line: [String: String]) {
    guard var data = try? JSONEncoder().encode(line) else { return }
    data.append(UInt8(ascii: "\n"))
    try? input.fileHandleForWriting.write(contentsOf: data)
  }

  private func took(_ data: Data) {
    let lines = state.withLock { state in
      state.unread.append(data)
      var lines: [Data] = []
      while let end = state.unread.firstIndex(of: UInt8(ascii: "\n")) {
        lines.append(Data(state.unread[state.unread.startIndex..<end]))
        state.unread = Data(state.unread[(end + 1)...])
      }
      return lines
    }
    for line in lines { heard(line) }
  }

  private func heard(_ data: Data) {
    guard let line = try? JSONDecoder().decode(Line.self, from: data) else { return }
    if let text = line.say, let number = line.number, let page = state.withLock({ $0.page }) {
      write(["reply": page.receive(text), "number": "\(number)"])
    }
    if let id = line.done { state.withLock { $0.results.removeValue(forKey: id) }?.resume(returning: line) }
    if let log = line.log { errors.withLock { $0.append(log) } }
  }

  /// The document's globals, and the wire to this process.
  private static let harness = #"""
    'use strict';
    const vm = require('vm');
    const events = new EventTarget(), replies = {};
    const out = (line) => process.stdout.write(JSON.stringify(line) + '\n');
    let lastNumber = 0;
    const native = { messageHandlers: { onside: { postMessage: (say) => new Promise((resolve) => {
      lastNumber += 1;
      replies[lastNumber] = resolve;
      out({ say, number: lastNumber });
    }) } } };
    globalThis.window = globalThis;
    globalThis.document = { readyState: 'loading', createElement: () => new EventTarget() };
    globalThis.MouseEvent = class extends Event {
      constructor(type, init) { super(type, init); this.relatedTarget = init.relatedTarget; }
    };
    for (const name of ['addEventListener', 'removeEventListener', 'dispatchEvent'])
      globalThis[name] = events[name].bind(events);
    EventTarget.prototype.dispatchEvent = ((original) => function (event) {
      return original.call(this === globalThis ? events : this, event);
    })(EventTarget.prototype.dispatchEvent);
    console.error = (error) => out({ log: String(error) });
    const exact = { Promise, JSON, out, setImmediate };
    const run = (text) => vm.runInThisContext(text);
    if (process.argv[1]) run(process.argv[1]);
    const page = () => run(process.env.ONSIDE_PAGE);
    const relay = () => {
      globalThis.webkit = native;
      run(process.env.ONSIDE_RELAY);
      delete globalThis.webkit;
    };
    for (const script of process.env.ONSIDE_ORDER === 'relay first' ? [relay, page] : [page, relay]) script();
    globalThis.load = () => { document.readyState = 'complete'; dispatchEvent(new Event('load')); };
    globalThis.pageshow = () => dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }));
    globalThis.outcome = (promise) => promise.then((value) => ({ value }), (error) => ({
      error: error instanceof Error ? { name: error.name, code: error.code, message: error.message } : error }));
    globalThis.task = () => new exact.Promise((resolve) => exact.setImmediate(resolve));
    process.on('unhandledRejection', (error) => out({ log: 'unhandled: ' + (error && error.name) }));
    const push = new Function('message', process.env.ONSIDE_PUSH);
    const take = ({ reply, number, push: text, code, id }) => {
      if (reply !== undefined) replies[number](reply);
      else if (text !== undefined) push(text);
      else run(`(async () => {${code}\n})()`).then(
        (value) => out({ done: +id, value: exact.JSON.stringify(value) }),
        (error) => out({ done: +id, error: String(error && error.stack || error) }));
    };
    let rest = '';
    process.stdin.setEncoding('utf8');
    process.stdin.on('data', (data) => {
      const lines = (rest + data).split('\n');
      rest = lines.pop();
      for (const line of lines) if (line) setImmediate(take, exact.JSON.parse(line));
    });
    process.stdin.on('end', () => process.exit(0));
    """#
}
