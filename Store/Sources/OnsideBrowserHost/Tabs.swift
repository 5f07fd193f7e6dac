import OnsideKit
import Synchronization

/// The open tabs, by the random names that their pages chose.
final class Tabs: Sendable {
  /// The largest number of tabs. Beyond it, the oldest tab without a page is removed.
  private static let limit = 32

  private struct State {
    var tabs: [String: Tab] = [:]
    var last = 0
  }

  private let makeView: @Sendable () -> BridgeView
  private let state = Mutex(State())

  init(makeView: @escaping @Sendable () -> BridgeView) { self.makeView = makeView }

  subscript(name: String) -> Tab? { state.withLock { $0.tabs[name] } }

  /// Begins a page in the tab of this name; nil when too many tabs have a page.
  func beginPage(_ id: String, in name: String) -> (tab: Tab, page: Tab.Page)? {
    let (begun, forgotten) = state.withLock { state -> ((tab: Tab, page: Tab.Page)?, Tab?) in
      if let tab = state.tabs[name] { return ((tab, tab.beginPage(id: id)), nil) }
      let oldest = state.tabs.filter { !$0.value.hasPage }.min { $0.value.number < $1.value.number }
      let isFull = state.tabs.count >= Self.limit
      guard !isFull || oldest != nil else { return (nil, nil) }
      if isFull, let oldest { state.tabs[oldest.key] = nil }
      state.last += 1
      let tab = Tab(number: state.last, view: makeView())
      state.tabs[name] = tab
      return ((tab, tab.beginPage(id: id)), isFull ? oldest?.value : nil)
    }
    forgotten?.close()
    return begun
  }

  /// Closes a tab unless it has a page.
  /// - Returns: whether it was closed now.
  func forget(_ name: String, in tab: Tab) -> Bool {
    let isForgotten = state.withLock { state in
      guard state.tabs[name] === tab, !tab.hasPage else { return false }
      state.tabs[name] = nil
      return true
    }
    if isForgotten { tab.close() }
    return isForgotten
  }

  /// Closes all tabs.
  func close() {
    let tabs = state.withLock { state in
      defer { state.tabs = [:] }
      return state.tabs.values
    }
    for tab in tabs { tab.close() }
  }
}
