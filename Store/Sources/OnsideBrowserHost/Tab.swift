import OnsideKit
import Synchronization

/// A tab of a browser. It has one page at a time; a reload is a new one.
final class Tab: Sendable {
  /// A page, and the stream of messages of the native side to it.
  struct Page: Sendable {
    let id: String
    let bridge: BridgePage
    let pushes: AsyncStream<String>
    fileprivate let stream: AsyncStream<String>.Continuation
  }

  /// The number of the tab in the log.
  let number: Int
  private let view: BridgeView
  private let current = Mutex<Page?>(nil)

  init(number: Int, view: BridgeView) {
    self.number = number
    self.view = view
  }

  var hasPage: Bool { current.withLock { $0 != nil } }

  /// Begins a page and ends the former one.
  func beginPage(id: String) -> Page {
    let (pushes, stream) = AsyncStream.makeStream(of: String.self)
    return current.withLock { current in
      current?.stream.finish()
      let page = Page(id: id, bridge: view.beginPage { stream.yield($0) }, pushes: pushes, stream: stream)
      current = page
      return page
    }
  }

  /// The page with this id if it is the open one.
  func page(_ id: String) -> BridgePage? {
    current.withLock { $0?.id == id ? $0?.bridge : nil }
  }

  /// Ends the page with this id.
  /// - Returns: false when another page is open already.
  @discardableResult
  func endPage(_ id: String) -> Bool {
    let ended = current.withLock { current -> Page? in
      guard let page = current, page.id == id else { return nil }
      current = nil
      return page
    }
    ended?.bridge.end()
    ended?.stream.finish()
    return ended != nil
  }

  /// Closes the tab and ends its page.
  func close() {
    view.close()
    current.withLock { current in
      current?.stream.finish()
      current = nil
    }
  }
}
