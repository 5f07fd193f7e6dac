import Foundation

/// A store that runs beside the demonstration, as an operator would run it.
actor StoreProcess {
  /// Where it answers.
  nonisolated let address: URL
  private let process: DemoProcess
  private var codes: [String: String] = [:]
  private var showsCodes = false
  private var ended: [CheckedContinuation<Void, Never>] = []
  private var waiting: [String: [CheckedContinuation<String, Never>]] = [:]

  private init(_ process: DemoProcess, address: URL) {
    self.process = process
    self.address = address
  }

  /// Starts `onside serve` on a free port and waits until it says where it listens.
  static func start(_ onside: URL, in folder: URL) async throws -> StoreProcess {
    let log = folder.appending(path: "store.log")
    let process = try DemoProcess(onside, arguments: ["serve", "--port", "0"], in: folder, errors: log)
    var lines = process.lines.makeAsyncIterator()
    while let line = await lines.next() {
      guard let match = line.firstMatch(of: /http:\/\/[0-9.]+:[0-9]+/), let address = URL(string: String(match.0))
      else { continue }
      let rest = process.lines
      let store = StoreProcess(process, address: address)
      Task { await store.listen(to: rest) }
      return store
    }
    let said = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
    throw DemoFailure("the store did not start (exit \(process.exitStatus())): \(said.suffix(2000))")
  }

  /// The login code that the console sender writes for a phone number.
  func code(for phone: String) async -> String {
    if let code = codes.removeValue(forKey: phone) { return code }
    return await withCheckedContinuation { waiting[phone, default: []].append($0) }
  }

  /// Prints the codes that arrive, until the store ends.
  func showCodes() async {
    showsCodes = true
    await withCheckedContinuation { ended.append($0) }
  }

  /// Stops the store as an operator does; answers its exit status.
  func stop() -> Int32 { process.terminate() }

  private func listen(to lines: AsyncStream<String>) async {
    for await line in lines {
      guard let match = line.firstMatch(of: /code for (\+[0-9]+).*?([0-9]{6})/) else { continue }
      if showsCodes { print(line) }
      let (phone, code) = (String(match.1), String(match.2))
      if let first = waiting[phone]?.popLast() { first.resume(returning: code) } else { codes[phone] = code }
    }
    for waiter in ended { waiter.resume() }
  }
}
