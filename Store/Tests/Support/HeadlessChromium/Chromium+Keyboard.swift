extension Chromium {
  /// Presses a key.
  public func press(_ key: Key) async throws {
    var event: [String: any Sendable] = [
      "type": "keyDown", "key": key.rawValue, "code": key.rawValue, "windowsVirtualKeyCode": key.code,
    ]
    if let text = key.text { event["text"] = text }
    try await send("Input.dispatchKeyEvent", parameters: event)
    event["type"] = "keyUp"
    event["text"] = nil
    try await send("Input.dispatchKeyEvent", parameters: event)
  }

  /// Types a text where the focus is.
  public func type(_ text: String) async throws { try await send("Input.insertText", parameters: ["text": text]) }

  /// Presses Tab until the expression is true of the element `e` that has the focus.
  public func tab(to condition: String) async throws {
    for _ in 0..<60 {
      if try await evaluate("(e => !!(\(condition)))(document.activeElement)") { return }
      try await press(.tab)
    }
    throw Failure(description: "the keyboard does not reach \(condition)")
  }

  /// A key that tests press.
  public enum Key: String {
    /// Tab.
    case tab = "Tab"
    /// Enter.
    case enter = "Enter"
    /// The space bar.
    case space = " "
    /// The arrow that points down.
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
}
