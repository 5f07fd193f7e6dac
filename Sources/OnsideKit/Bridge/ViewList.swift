import Synchronization

/// The open views of a bridge. While there is none, events are held for the first.
final class ViewList: Sendable {
  private struct Entry {
    weak var view: BridgeView?
  }

  private struct State {
    var entries: [Entry] = []
    var lastID = 0
    var held: HeldEvents
  }

  private let state: Mutex<State>

  init(limits: BridgeLimits) { state = Mutex(State(held: HeldEvents(limit: limits.eventsHeld))) }

  var all: [BridgeView] { state.withLock { $0.entries.compactMap(\.view) } }

  /// Adds the view that `make` makes with an id of its own.
  func add(_ make: (_ id: Int) -> BridgeView) -> BridgeView {
    state.withLock { state in
      state.lastID += 1
      let view = make(state.lastID)
      state.entries.append(Entry(view: view))
      for event in state.held.take() { view.tell(event) }
      return view
    }
  }

  func remove(_ view: BridgeView) {
    state.withLock { $0.entries.removeAll { $0.view == nil || $0.view === view } }
  }

  /// Holds the undelivered events of a removed view for the next one, if there is no other view.
  func keep(_ events: [BridgeEvent]) {
    state.withLock { state in
      guard state.entries.allSatisfy({ $0.view == nil }) else { return }
      for event in events { state.held.add(event) }
    }
  }

  /// Sends an event to every view.
  func tell(_ event: BridgeEvent) {
    state.withLock { state in
      state.entries.removeAll { $0.view == nil }
      if state.entries.isEmpty { state.held.add(event) }
      for entry in state.entries { entry.view?.tell(event) }
    }
  }
}
