import Foundation

/// Puts store, person and devices on and lets them play; prints a line for every step.
final class Stage {
  static let app = "io.example.lumen"
  static let phone = "+31612345678"

  private let folder: URL
  private let programs: URL
  private var proved = 0
  private var store: StoreProcess?

  /// - Parameters:
  ///   - folder: holds the store's database and the devices' storage.
  ///   - programs: where the built programs are.
  init(folder: URL, programs: URL) {
    self.folder = folder
    self.programs = programs
  }

  private var onside: URL { programs.appending(path: "onside") }

  /// Plays every step.
  func play(catalogue: String, prices: String) async throws {
    _ = try DemoProcess.run(
      onside, arguments: ["import", catalogue, "--prices", prices, "--app", Self.app, "--name", "Lumen"], in: folder)
    say("import", proof: "\(URL(filePath: catalogue).lastPathComponent) is on sale, in a new SQLite file")
    let store = try await StoreProcess.start(onside, in: folder)
    self.store = store
    say("store", proof: "answers at \(store.address.absoluteString)")
    let person = DemoUser(phone: Self.phone, region: "NL", store: store)
    try await play("first", with: person, at: store)
  }

  /// Stops the store and sums up; fails when the store did not stop as promised.
  func close() async throws {
    if let status = await store?.stop() {
      try expect(status == 0, "the store stopped with exit status \(status)")
      say("graceful stop", proof: "the store ended by itself with status 0")
    }
    print("\nAll \(proved) steps proved.")
  }

  /// Leaves the store running for a person with a real browser.
  func stayOpen() async throws {
    guard let store else { return }
    print(
      """

      All \(proved) steps proved. The store goes on: \(store.address.absoluteString)
      Log in with \(Self.phone) or any number; the codes appear here. Ctrl-C ends it.
      """)
    await store.showCodes()
  }

  /// Ends what still runs and tells where to look.
  func giveUp() async {
    _ = await store?.stop()
    for log in ["store.log", "first.log", "second.log"] {
      let text = (try? String(contentsOf: folder.appending(path: log), encoding: .utf8)) ?? ""
      if !text.isEmpty { print("--- \(log)\n\(text.suffix(2000))") }
    }
  }

  private func play(_ device: String, with person: DemoUser, at store: StoreProcess) async throws {
    let process = try DemoProcess(
      programs.appending(path: "onside-demo"),
      arguments: [
        "session", device, "--store", store.address.absoluteString, "--storage", folder.appending(path: device).path,
      ],
      in: folder, errors: folder.appending(path: "\(device).log"))
    for await line in process.lines { try await hear(line, person: person, at: store) }
    try expect(process.exitStatus() == 0, "the \(device) device ended with status \(process.exitStatus())")
  }

  /// Acts on one line that a device's process wrote.
  private func hear(_ line: String, person: DemoUser, at store: StoreProcess) async throws {
    if let address = line.firstMatch(of: /^http:\/\/\S+$/).flatMap({ URL(string: String($0.0)) }) {
      for act in try await person.visit(address) { print("    · the user \(act)") }
    } else if let report = Report.parse(line), report.count > 1 {
      switch report[0] {
      case "device": try await play(report[1], with: person, at: store)
      case "refund": _ = try DemoProcess.run(onside, arguments: ["order", "refund", report[1]], in: folder)
      default: say(report[1], proof: report.count > 2 ? report[2] : "")
      }
    }
  }

  private func say(_ title: String, proof: String) {
    proved += 1
    print("✔ \(title): \(proof)")
  }
}
