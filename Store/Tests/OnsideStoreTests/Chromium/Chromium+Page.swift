import Foundation
import Testing

extension Chromium {
  /// Opens an address and waits until it is there.
  func open(_ address: String) async throws {
    try await send("Page.navigate", ["url": address])
    try await settle { "\($0)".hasPrefix(address.prefix { $0 != "?" && $0 != "#" }) }
  }

  /// Waits until the page is there and its address is the one looked for.
  func settle(_ isRight: @Sendable (String) -> Bool) async throws {
    for _ in 0..<500 {
      let place: String = try await evaluate("document.readyState + ' ' + location.href")
      if place.hasPrefix("complete "), isRight(String(place.dropFirst(9))) { return }
      try await Task.sleep(for: .milliseconds(20))
    }
    throw Failure(description: "the page did not come; it is \(try await evaluate("location.href") as String)")
  }

  /// Waits until an expression is true of the page, whichever page that is by then.
  func wait(until condition: String) async throws {
    for _ in 0..<500 {
      if try await evaluate("document.readyState === 'complete' && !!(\(condition))") { return }
      try await Task.sleep(for: .milliseconds(20))
    }
    throw Failure(description: "never came true: \(condition)")
  }

  private struct Evaluation<Value: Decodable>: Decodable {
    struct Object: Decodable { var value: Value? }
    struct Fault: Decodable { var text: String }
    var result: Object
    var exceptionDetails: Fault?
  }

  /// The value of an expression in the page.
  func evaluate<Value: Decodable>(_ expression: String) async throws -> Value {
    let answer: Evaluation<Value> = try await call(
      "Runtime.evaluate", ["expression": expression, "returnByValue": true])
    guard let value = answer.result.value else {
      throw Failure(description: "\(expression.prefix(80)): \(answer.exceptionDetails?.text ?? "no value")")
    }
    return value
  }

  /// Sets the window's size in CSS pixels and the preferences of the system.
  func show(width: Int, height: Int = 844, dark: Bool = false, reducedMotion: Bool = false) async throws {
    try await send(
      "Emulation.setDeviceMetricsOverride",
      ["width": width, "height": height, "deviceScaleFactor": 1, "mobile": false])
    let features: [[String: String]] = [
      ["name": "prefers-color-scheme", "value": dark ? "dark" : "light"],
      ["name": "prefers-reduced-motion", "value": reducedMotion ? "reduce" : "no-preference"],
    ]
    try await send("Emulation.setEmulatedMedia", ["features": features])
  }

  /// Presses a key.
  func press(_ key: Key) async throws {
    var event: [String: any Sendable] = [
      "type": "keyDown", "key": key.rawValue, "code": key.rawValue, "windowsVirtualKeyCode": key.code,
    ]
    if let text = key.text { event["text"] = text }
    try await send("Input.dispatchKeyEvent", event)
    event["type"] = "keyUp"
    event["text"] = nil
    try await send("Input.dispatchKeyEvent", event)
  }

  func type(_ text: String) async throws { try await send("Input.insertText", ["text": text]) }

  /// Presses Tab until the expression is true of the element `e` that has the focus.
  func tab(to condition: String) async throws {
    for _ in 0..<60 {
      if try await evaluate("(e => !!(\(condition)))(document.activeElement)") { return }
      try await press(.tab)
    }
    throw Failure(description: "the keyboard does not reach \(condition)")
  }

  enum Key: String {
    case tab = "Tab"
    case enter = "Enter"
    case space = " "
    case down = "ArrowDown"

    var code: Int {
      switch self {
      case .tab: 9
      case .enter: 13
      case .space: 32
      case .down: 40
      }
    }

    var text: String? {
      switch self {
      case .enter: "\r"
      case .space: " "
      case .tab, .down: nil
      }
    }
  }

  /// One thing that an assistive technology is told of.
  struct Named: Sendable {
    var role: String
    var name: String
    var description: String
  }

  /// What an assistive technology is told of the page.
  func accessibilityTree() async throws -> [Named] {
    struct Value: Decodable {
      var value: String?

      init(from decoder: any Decoder) throws {
        enum Keys: CodingKey { case value }
        value = try? decoder.container(keyedBy: Keys.self).decode(String.self, forKey: .value)
      }
    }
    struct Node: Decodable {
      var ignored: Bool
      var role: Value?
      var name: Value?
      var description: Value?
    }
    struct Tree: Decodable { var nodes: [Node] }
    let tree: Tree = try await call("Accessibility.getFullAXTree")
    return tree.nodes.filter { !$0.ignored }.map { node in
      Named(
        role: node.role?.value ?? "", name: node.name?.value ?? "", description: node.description?.value ?? "")
    }
  }
}
