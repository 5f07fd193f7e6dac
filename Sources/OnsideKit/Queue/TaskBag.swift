/// The queue's running tasks, in groups that can be cancelled.
@MainActor
final class TaskBag {
  /// Tasks that are cancelled together.
  enum Group: CaseIterable {
    /// The long poll.
    case sync
    /// Other calls to the store in the name of the account.
    case calls
    /// Work that a logout or login does not cancel.
    case other
  }

  private var running: [Group: [Int: Task<Void, Never>]] = [:]
  private var last = 0

  /// How many run.
  var count: Int { running.values.reduce(0) { $0 + $1.count } }

  @discardableResult
  func run(_ group: Group = .other, _ work: @escaping @MainActor () async -> Void) -> Task<Void, Never> {
    last += 1
    let number = last
    let task = Task { [weak self] in
      await work()
      self?.running[group]?[number] = nil
    }
    running[group, default: [:]][number] = task
    return task
  }

  func cancel(_ group: Group) {
    for (_, task) in (running.removeValue(forKey: group) ?? [:]).sorted(by: { $0.key < $1.key }) { task.cancel() }
  }

  func cancelAll() {
    for group in Group.allCases { cancel(group) }
  }

  deinit {
    for task in running.values.flatMap(\.values) { task.cancel() }
  }
}
