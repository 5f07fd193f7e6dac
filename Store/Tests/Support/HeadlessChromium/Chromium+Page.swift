public import Foundation

extension Chromium {
  /// How often a page is looked at, 20 ms apart, before it counts as not coming: three minutes, for busy machines.
  private static let patience = 9000

  /// Opens an address and waits until it is there.
  public func open(_ address: String) async throws {
    try await send("Page.navigate", parameters: ["url": address])
    try await settle { "\($0)".hasPrefix(address.prefix { $0 != "?" && $0 != "#" }) }
  }

  /// Loads the page again and waits until it is there.
  public func reload() async throws {
    let _: Bool = try await evaluate("globalThis.isOld = true")
    try await send("Page.reload")
    try await wait(until: "!globalThis.isOld")
  }

  /// Waits until the page is there and its address is the one looked for.
  public func settle(_ isRight: @Sendable (String) -> Bool) async throws {
    for _ in 0..<Self.patience {
      let place: String? = try await look("document.readyState + ' ' + location.href")
      if let place, place.hasPrefix("complete "), isRight(String(place.dropFirst(9))) { return }
      try await Task.sleep(for: .milliseconds(20))
    }
    throw Failure(description: "the page did not come; it is \(try await evaluate("location.href") as String)")
  }

  /// Waits until an expression is true of the page, whichever page that is by then.
  public func wait(until condition: String) async throws {
    for _ in 0..<Self.patience {
      let isTrue: Bool? = try await look("document.readyState === 'complete' && !!(\(condition))")
      if isTrue == true { return }
      try await Task.sleep(for: .milliseconds(20))
    }
    throw Failure(description: "never came true: \(condition)")
  }

  /// The value of an expression in the page; nil when the page went away over it, and another one comes.
  private func look<Value: Decodable>(_ expression: String) async throws -> Value? {
    do {
      let value: Value = try await evaluate(expression)
      return value
    } catch let failure as Failure where failure.description == "Inspected target navigated or closed" {
      return nil
    }
  }

  private struct Evaluation<Value: Decodable>: Decodable {
    struct Object: Decodable {
      var value: Value?

      init(from decoder: any Decoder) throws {
        // Of an exception it is something else.
        value = try? decoder.container(keyedBy: ValueKey.self).decode(Value.self, forKey: .value)
      }
    }
    struct Thrown: Decodable { var description: String? }
    struct Fault: Decodable {
      var text: String
      var exception: Thrown?
      var message: String { exception?.description ?? text }
    }
    var result: Object
    var exceptionDetails: Fault?
  }

  /// The value of an expression in the page.
  public func evaluate<Value: Decodable>(_ expression: String) async throws -> Value {
    let answer: Evaluation<Value> = try await call(
      "Runtime.evaluate", parameters: ["expression": expression, "returnByValue": true])
    guard let value = answer.result.value else {
      throw Failure(description: "\(expression.prefix(80)): \(answer.exceptionDetails?.message ?? "no value")")
    }
    return value
  }

  /// Runs the body of an asynchronous function in the page, with arguments that it knows by name. They and its value
  /// travel as JSON texts; no script is made of them.
  public func run(_ body: String, arguments: [String: String] = [:]) async throws -> String {
    struct Handle: Decodable { var objectId: String }
    struct Global: Decodable { var result: Handle }
    let global: Global = try await call("Runtime.evaluate", parameters: ["expression": "globalThis"])
    let names = arguments.keys.sorted()
    let parsed = names.map { "JSON.parse(\($0))" }.joined(separator: ", ")
    let function = """
      async function(\(names.joined(separator: ", "))) {
        let value;
        try {
          value = await (async (\(names.joined(separator: ", "))) => { \(body)\n })(\(parsed));
        } catch (error) {
          throw error instanceof Error ? error : new Error(JSON.stringify(error));
        }
        return JSON.stringify(value === undefined ? null : value);
      }
      """
    let answer: Evaluation<String> = try await call(
      "Runtime.callFunctionOn",
      parameters: [
        "functionDeclaration": function, "objectId": global.result.objectId, "awaitPromise": true,
        "returnByValue": true, "arguments": names.map { ["value": arguments[$0] ?? "null"] },
      ])
    guard let value = answer.result.value else {
      throw Failure(description: "\(body.prefix(80)): \(answer.exceptionDetails?.message ?? "no value")")
    }
    return value
  }

  /// Kills the process that shows the page, and turns to a new one. Nothing answers this: who should is gone.
  public func crash() async throws {
    try post("Page.crash")
    try await openTab()
  }

  /// A picture of the whole page, also of what the window does not show, as a PNG file.
  public func picture() async throws -> Data {
    struct Picture: Decodable { var data: Data }
    let size: [Int] = try await evaluate("[innerWidth, Math.max(600, document.documentElement.scrollHeight)]")
    let area: [String: any Sendable] = ["x": 0, "y": 0, "width": size[0], "height": size[1], "scale": 1]
    let picture: Picture = try await call(
      "Page.captureScreenshot",
      parameters: ["clip": area, "captureBeyondViewport": true, "optimizeForSpeed": true])
    return picture.data
  }

  /// Sets the window's size in CSS pixels and the preferences of the system.
  public func show(width: Int, height: Int = 844, dark: Bool = false, reducedMotion: Bool = false) async throws {
    try await send(
      "Emulation.setDeviceMetricsOverride",
      parameters: ["width": width, "height": height, "deviceScaleFactor": 1, "mobile": false])
    let features: [[String: String]] = [
      ["name": "prefers-color-scheme", "value": dark ? "dark" : "light"],
      ["name": "prefers-reduced-motion", "value": reducedMotion ? "reduce" : "no-preference"],
    ]
    try await send("Emulation.setEmulatedMedia", parameters: ["features": features])
  }
}

private enum ValueKey: CodingKey {
  case value
}
