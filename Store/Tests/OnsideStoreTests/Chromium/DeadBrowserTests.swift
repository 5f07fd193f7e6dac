import Glibc
import HeadlessChromium
import Testing

@Suite("A browser that dies", .enabled(if: Chromium.path != nil, "needs Chromium"), .timeLimit(.minutes(5)))
struct DeadBrowserTests {
  @Test("Calls in flight and later calls fail, and stopping it returns")
  func killed() async throws {
    let chromium = try await Chromium.start()
    async let answer = chromium.run("await new Promise(() => {})")
    // The page has the call once it answers the next one.
    let _: Int = try await chromium.evaluate("1")
    chromium.send(signal: SIGKILL)
    await #expect(throws: Chromium.Failure.self) { _ = try await answer }
    await #expect(throws: Chromium.Failure.self) { let _: Int = try await chromium.evaluate("1") }
    await chromium.stop()
  }
}
