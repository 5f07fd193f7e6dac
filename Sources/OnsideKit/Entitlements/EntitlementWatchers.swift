/// The loops over ``Onside/entitlementUpdates``, and the callers that wait for a first answer.
@MainActor
final class EntitlementWatchers {
  private var streams: [Int: AsyncStream<[OnsideEntitlement]>.Continuation] = [:]
  /// Those that have been told nothing yet.
  private var newcomers: Set<Int> = []
  private var waiting: [CheckedContinuation<Void, Never>] = []
  private var last = 0
  private var told: [OnsideEntitlement]?
  private var isEnded = false

  deinit {
    for stream in streams.values { stream.finish() }
    for waiter in waiting { waiter.resume() }
  }

  /// A loop's sequence, with its first value if that is known.
  func add(first: [OnsideEntitlement]?) -> AsyncStream<[OnsideEntitlement]> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: [OnsideEntitlement].self, bufferingPolicy: .bufferingNewest(1))
    guard !isEnded else {
      continuation.finish()
      return stream
    }
    last += 1
    streams[last] = continuation
    continuation.onTermination = { [weak self, number = last] _ in
      Task { @MainActor in self?.remove(number) }
    }
    if let first { continuation.yield(first) } else { newcomers.insert(last) }
    return stream
  }

  /// Returns with the next thing that is told, or at the end.
  func settled() async {
    guard !isEnded else { return }
    await withCheckedContinuation { waiting.append($0) }
  }

  /// Yields a changed list to every loop, and the list in any case to loops that have no value yet.
  func tell(_ entitlements: [OnsideEntitlement]) {
    let isNews = entitlements != told
    told = entitlements
    for number in streams.keys.sorted() where isNews || newcomers.contains(number) {
      streams[number]?.yield(entitlements)
    }
    newcomers = []
    release()
  }

  /// The account is another one: what was told is taken away at once, and the next thing is news.
  func forget() {
    if told?.isEmpty == false { tell([]) }
    told = nil
  }

  /// Ends all loops.
  func end() {
    isEnded = true
    for stream in streams.values { stream.finish() }
    streams = [:]
    release()
  }

  private func release() {
    let released = waiting
    waiting = []
    for waiter in released { waiter.resume() }
  }

  private func remove(_ number: Int) {
    streams[number] = nil
    newcomers.remove(number)
  }
}
