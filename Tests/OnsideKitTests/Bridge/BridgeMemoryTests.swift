import Foundation
import OnsideCommerce
import Synchronization
import Testing

@testable import OnsideKit

@Suite("Memory of the bridge", .timeLimit(.minutes(10)))
struct BridgeMemoryTests {
  @Test("JSB-10: a page that calls loadProducts 100,000 times, in real time, takes little memory")
  func loadProducts() async {
    // A process of its own: other tests take memory, too.
    await #expect(processExitsWith: .success) {
      let folder = FileManager.default.temporaryDirectory.appending(path: "onside-memory-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: folder) }
      let page = try await LoadingPage(folder)
      try await page.load(times: 20_000)
      let before = try residentBytes()
      try await page.load(times: 80_000)
      let growth = try residentBytes() - before
      try #require(growth < 12 << 20, "80,000 calls took \(growth >> 10) KiB")
    }
  }

  @Test("A pause in real time ends when its time is over, and at once when its task is cancelled")
  func pauses() async throws {
    try await LivePause.wait(0.001)
    try await LivePause.wait(-1)
    let pause = Task { try await LivePause.wait(3600) }
    pause.cancel()
    await #expect(throws: CancellationError.self) { try await pause.value }
    let late = Task {
      while !Task.isCancelled { await Task.yield() }
      try await LivePause.wait(3600)
    }
    late.cancel()
    await #expect(throws: CancellationError.self) { try await late.value }
  }
}

/// A page that loads the same products again and again, a hundred calls at a time.
private final class LoadingPage: Sendable {
  private let client: OnsideClient
  private let page: BridgePage
  private let answers: AsyncStream<Int>

  @MainActor
  init(_ folder: URL) throws {
    let dependencies = Dependencies.live(storageFolder: folder, screens: NobodyLooks())
    let store = LocalStore(try LocalFile.configuration(), dependencies: dependencies, keepsPurchases: false)
    client = OnsideClient(localStore: store, dependencies: dependencies)
    let (answers, answer) = AsyncStream.makeStream(of: Int.self)
    self.answers = answers
    page = OnsideBridge(client: client).makeView().beginPage { message in
      answer.yield(message.components(separatedBy: #""invalidProductIdentifiers""#).count - 1)
    }
  }

  func load(times: Int) async throws {
    let parameters = #"{"productIdentifiers":["\#(LocalFile.coins)"]}"#
    let calls = (1...100).map { PageItem.call(id: $0, function: "loadProducts", parameters: parameters) }
    var answers = answers.makeAsyncIterator()
    for _ in 0..<(times / 100) {
      _ = page.receive(calls.message)
      var open = 100
      while open > 0, let count = await answers.next() { open -= count }
    }
  }
}

private func residentBytes() throws -> Int {
  let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
  return (Int(pages[1]) ?? 0) * 4096
}
