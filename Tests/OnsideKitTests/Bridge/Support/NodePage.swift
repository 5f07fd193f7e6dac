import Foundation
import Synchronization

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
  /// Whether replies are overtaken by what is pushed.
  private let slowReplies: Bool
  /// Whether replies are no JSON.
  private let garbles: Bool
  private let process = Process()
  private let writer = DispatchQueue(label: "page")
  private let input = Pipe()
  private let output = Pipe()
  private let state = Mutex(State())
  private let errors = Mutex<[String]>([])

  /// Starts a page; `prelude` runs before every script, as code that a host would not run.
  init(
    _ view: BridgeView, prelude: String = "", relayFirst: Bool = false, slowReplies: Bool = false, garbles: Bool = false
  ) throws {
    // A page that died must not end the tests that write to it.
    signal(SIGPIPE, SIG_IGN)
    self.view = view
    self.slowReplies = slowReplies
    self.garbles = garbles
    process.executableURL = Self.node
    process.arguments = ["--input-type=commonjs", "-e", Self.harness, "--", prelude]
    process.environment = [
      "ONSIDE_PAGE": BridgeScript.webKitPage, "ONSIDE_RELAY": BridgeScript.webKitRelay,
      "ONSIDE_PUSH": BridgeScript.webKitPushBody, "ONSIDE_ORDER": relayFirst ? "relay first" : "page first",
    ]
    process.standardInput = input
    process.standardOutput = output
    begin()
    try process.run()
    let descriptor = output.fileHandleForReading.fileDescriptor
    Thread.detachNewThread { [weak self, output] in
      Self.read(descriptor) { self?.heard($0) }
      self?.ended()
      withExtendedLifetime(output) {}
    }
  }

  deinit {
    if process.isRunning { process.terminate() }
  }

  /// What the console was told.
  var logged: [String] { errors.withLock { $0 } }

  /// A new page of the app for the same document, as one that comes back from the history gets.
  func begin() {
    let page = view.beginPage { [weak self] in self?.write(["push": $0]) }
    state.withLock { $0.page = page }
  }

  /// Runs the body of an async function in the page; its result is JSON. Throws when the page has died, or when the
  /// task is cancelled first.
  func run(_ code: String) async throws -> String {
    let id = state.withLock { state in
      state.lastCode += 1
      return state.lastCode
    }
    let line = await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Line, Never>) in
        let isWaiting = state.withLock { state in
          guard !state.hasEnded, !Task.isCancelled else { return false }
          state.results[id] = continuation
          return true
        }
        if isWaiting {
          write(["code": code, "id": "\(id)"])
        } else {
          continuation.resume(returning: Line(error: "Node has ended"))
        }
      }
    } onCancel: {
      state.withLock { $0.results.removeValue(forKey: id) }?.resume(returning: Line(error: "cancelled"))
    }
    try Task.checkCancellation()
    if let error = line.error { throw Thrown(description: error) }
    return line.value ?? "undefined"
  }

  private func write(_ line: [String: String]) {
    guard let text = try? JSONEncoder().encode(line) else { return }
    let data = text + Data("\n".utf8)
    // A full pipe may block the writer's queue; no other work runs on it.
    writer.async { [input] in try? input.fileHandleForWriting.write(contentsOf: data) }
  }

  /// Reads line by line until the other end is closed, on a thread that may block.
  private static func read(_ descriptor: Int32, _ line: (Data) -> Void) {
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
    var unread = Data()
    while true {
      let chunk = handle.availableData
      if chunk.isEmpty { return }
      let parts = chunk.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      unread.append(contentsOf: parts[0])
      for part in parts.dropFirst() {
        line(unread)
        unread = Data(part)
      }
    }
  }

  /// Fails the pending calls: the process has died.
  private func ended() {
    let waiting = state.withLock { state in
      state.hasEnded = true
      defer { state.results = [:] }
      return state.results.values.map { $0 }
    }
    for continuation in waiting { continuation.resume(returning: Line(error: "Node has ended")) }
  }

  private func heard(_ data: Data) {
    guard let line = try? JSONDecoder().decode(Line.self, from: data) else { return }
    if let text = line.say, let number = line.number, let page = state.withLock({ $0.page }) {
      write(["reply": garbles ? "" : page.receive(text), "number": "\(number)", "delay": slowReplies ? "30" : "0"])
    }
    if let id = line.done { state.withLock { $0.results.removeValue(forKey: id) }?.resume(returning: line) }
    if let log = line.log { errors.withLock { $0.append(log) } }
  }

  /// The document's globals, and the wire to this process.
  private static let harness = #"""
    'use strict';
    const vm = require('vm');
    const events = new EventTarget(), replies = {};
    const { parse, stringify } = JSON, { apply } = Reflect, { then } = Promise.prototype, later = setImmediate;
    const out = (line) => process.stdout.write(stringify(line) + '\n');
    let lastNumber = 0;
    const postMessage = (say) => ({ then(replied) {
      lastNumber += 1;
      replies[lastNumber] = replied;
      out({ say, number: lastNumber });
    } });
    globalThis.window = globalThis;
    const ownMethods = (target, own) => {
      for (const name of ['addEventListener', 'removeEventListener', 'dispatchEvent'])
        target[name] = own[name].bind(own);
      return target;
    };
    globalThis.CharacterData = class extends EventTarget {
      #data = '';
      get data() { return this.#data; }
      set data(text) { this.#data = String(text); }
    };
    globalThis.document = { readyState: 'loading', createComment: () => new CharacterData() };
    globalThis.MouseEvent = class extends Event {
      constructor(type, init) { super(type, init); this.relatedTarget = init.relatedTarget; }
    };
    ownMethods(globalThis, events);
    EventTarget.prototype.dispatchEvent = ((original) => function (event) {
      return original.call(this === globalThis ? events : this, event);
    })(EventTarget.prototype.dispatchEvent);
    console.error = (error) => out({ log: String(error) });
    Object.defineProperty(globalThis, 'lastNumber', { get: () => lastNumber });
    const run = (text) => vm.runInThisContext(text);
    if (process.argv[1]) run(process.argv[1]);
    const page = () => run(process.env.ONSIDE_PAGE);
    // The relay has a world of its own.
    const world = ownMethods({ CustomEvent, Event, webkit: { messageHandlers: { onside: { postMessage } } } }, events);
    world.window = world;
    vm.createContext(world);
    const relay = () => vm.runInContext(process.env.ONSIDE_RELAY, world);
    for (const script of process.env.ONSIDE_ORDER === 'relay first' ? [relay, page] : [page, relay]) script();
    globalThis.load = () => { document.readyState = 'complete'; dispatchEvent(new Event('load')); };
    globalThis.pageshow = () => dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }));
    globalThis.outcome = (promise) => promise.then((value) => ({ value }), (error) => ({
      error: error instanceof Error ? { name: error.name, code: error.code, message: error.message } : error }));
    globalThis.task = () => new Promise((resolve) => later(resolve));
    process.on('unhandledRejection', (error) => out({ log: 'unhandled: ' + (error && error.name) }));
    const push = vm.runInContext(`(message) => {${process.env.ONSIDE_PUSH}}`, world);
    const take = ({ reply, number, delay, push: text, code, id }) => {
      if (reply !== undefined) +delay ? setTimeout(() => replies[number](reply), +delay) : replies[number](reply);
      else if (text !== undefined) push(text);
      else apply(then, run(`(async () => {${code}\n})()`), [
        (value) => out({ done: +id, value: stringify(value) }),
        (error) => out({ done: +id, error: String(error && error.stack || error) })]);
    };
    let rest = '';
    process.stdin.setEncoding('utf8');
    process.stdin.on('data', (data) => {
      const lines = (rest + data).split('\n');
      rest = lines.pop();
      for (let at = 0; at < lines.length; at += 1) if (lines[at]) later(() => take(parse(lines[at])));
    });
    process.stdin.on('end', () => process.exit(0));
    """#
}
