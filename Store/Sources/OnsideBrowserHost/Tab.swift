import OnsideKit
import Synchronization

/// A tab of a browser. It has one page at a time; a reload is a new one.
final class Tab: Sendable {
  /// A page, and what the native side says to it.
  struct Page: Sendable {
    let id: String
    let bridge: BridgePage
    let pushes: AsyncStream<String>
    fileprivate let stream: AsyncStream<String>.Continuation
  }

  /// For people.
  let number: Int
  private let view: BridgeView
  private let current = Mutex<Page?>(nil)

  init(number: Int, view: BridgeView) {
    self.number = number
    self.view = view
  }

  var hasPage: Bool { current.withLock { $0 != nil } }

  /// A new page; the former one ends.
  func beginPage(id: String) -> Page {
    let (pushes, stream) = AsyncStream.makeStream(of: String.self)
    return current.withLock { current in
      current?.stream.finish()
      let page = Page(id: id, bridge: view.beginPage { stream.yield($0) }, pushes: pushes, stream: stream)
      current = page
      return page
    }
  }

  /// The page of this name, if it is the one that is open.
  func page(_ id: String) -> BridgePage? {
    current.withLock { $0?.id == id ? $0?.bridge : nil }
  }

  /// The page of this name is gone.
  /// - Returns: false when another has taken its place already.
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

  /// Nothing comes from this tab any more.
  func close() {
    view.close()
    current.withLock { current in
      current?.stream.finish()
      current = nil
    }
  }
}
