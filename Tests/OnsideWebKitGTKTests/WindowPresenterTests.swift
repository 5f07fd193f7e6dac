import CWebKitGTK
import DesktopSession
import Foundation
import OnsideKit
import OnsideWebKitGTK
import Testing

@Suite("Windows of the SDK's screens", .needsDisplay, .serialized, .timeLimit(.minutes(5)))
struct WindowPresenterTests {
  @Test("a page that leads to the redirect address ends the screen with it, whole, and closes the window")
  func redirect() async throws {
    let outcome = try await WindowPresenter().present(.login) { redirect in
      page("<title>Pay</title><meta http-equiv=refresh content='0;url=\(redirect)?code=c%26d'>")
    }
    guard case .redirected(let address) = outcome else {
      Issue.record("expected .redirected, got \(outcome)")
      return
    }
    #expect(address.query(percentEncoded: true) == "code=c%26d")
    try await NamedDeadline.wait(for: "the window to close") { await !Windows.isOpen }
  }

  @Test("ACC-3: a window that the user closes counts as dismissed")
  func closed() async throws {
    async let outcome = WindowPresenter().present(.payment) { _ in page("<title>Pay</title>Pay") }
    try await NamedDeadline.wait(for: "the window to open") { await Windows.isOpen }
    await Windows.closeAll()
    let result = try await outcome
    #expect(result == .dismissed)
  }

  @Test("cancelling the task closes the window")
  func cancelled() async throws {
    let task = Task { try await WindowPresenter().present(.payment) { _ in page("<title>Pay</title>Pay") } }
    try await NamedDeadline.wait(for: "the window to open") { await Windows.isOpen }
    task.cancel()
    let taskValue = try await task.value
    #expect(taskValue == .dismissed)
    try await NamedDeadline.wait(for: "the window to close") { await !Windows.isOpen }
  }

  @Test("what gives the page's address may fail, and no window opens")
  func noPage() async throws {
    struct Fault: Error {}
    await #expect(throws: Fault.self) { try await WindowPresenter().present(.login) { _ in throw Fault() } }
    #expect(await !Windows.isOpen)
  }

  private func page(_ html: String) -> URL {
    let text = html.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    return URL(string: "data:text/html,\(text)") ?? URL(filePath: "/")
  }
}

/// The windows with the page of these tests.
@GTKActor
enum Windows {
  static var isOpen: Bool { !all.isEmpty }
  static func closeAll() { for window in all { gtk_window_close(window) } }

  private static var all: [UnsafeMutablePointer<GtkWindow>] {
    var windows: [UnsafeMutablePointer<GtkWindow>] = []
    var item = gtk_window_list_toplevels()
    let list = item
    while let current = item {
      if let data = current.pointee.data { windows.append(data.assumingMemoryBound(to: GtkWindow.self)) }
      item = current.pointee.next
    }
    g_list_free(list)
    return windows.filter { gtk_window_get_title($0).map { String(cString: $0) } == "Pay" }
  }
}
