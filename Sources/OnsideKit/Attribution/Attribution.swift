import Foundation
import Logging
import OnsideAPI

/// Asks the store once where the installation came from, and keeps the answer on disk.
actor Attribution {
  nonisolated let installation: Installation
  private let store: any Store
  private let owner: String
  private let dependencies: Dependencies
  private let folder: DurableFolder
  private var record: AttributionRecord?
  private var asking: Task<StoreError?, Never>?
  private var redeeming: Task<Void, Never>?
  private var isClosed = false

  private static let file = "attribution.json"
  /// How often a token is offered to a store that cannot be reached, before the next launch.
  private static let attempts = 8

  /// - Parameter owner: names app and store.
  init(store: any Store, owner: String, dependencies: Dependencies) {
    self.store = store
    self.owner = owner
    self.dependencies = dependencies
    installation = Installation(dependencies)
    folder = DurableFolder(url: dependencies.storageFolder, files: dependencies.files)
  }

  /// The address of the visit; nil when none is known. Calls at the same time share one request.
  func refererURL() async throws(StoreError) -> String? {
    while !current.isSettled {
      if isClosed { throw .cancelled }
      let task = asking ?? ask()
      if let error = await task.value { throw error }
    }
    return current.refererURL
  }

  /// The token in an address that the system gave to the app: its only `claim`. What carries a `state` belongs to a
  /// screen.
  nonisolated static func claim(in url: URL) -> String? {
    let claims = url.queryValues(named: "claim")
    return claims.count == 1 && url.queryValues(named: "state").isEmpty ? claims[0] : nil
  }

  /// Takes in a token and redeems it at once, since it does not live long. One that no store can have made is ignored.
  nonisolated func receive(_ claim: String) {
    Task { await accept(claim) }
  }

  /// Ends what is under way.
  func close() async {
    isClosed = true
    redeeming?.cancel()
    asking?.cancel()
    _ = await asking?.value
  }

  private func accept(_ claim: String) {
    guard claim.wholeMatch(of: /[A-Za-z0-9_\-]{16,128}/) != nil else {
      return dependencies.logger.warning("expected a claim token of 16 to 128 letters, digits, - and _; ignored it")
    }
    guard !isClosed, change({ $0.receive(claim) }) else { return }
    redeeming?.cancel()
    redeeming = Task { await redeem() }
  }

  private func redeem() async {
    for attempt in 1...Self.attempts {
      do {
        _ = try await refererURL()
        return
      } catch {
        guard error.isRetryable else { return }
        let pause = BackOff.seconds(attempt: attempt, pause: .long, jitter: dependencies.randomBytes(1).first ?? 0)
        guard (try? await dependencies.sleep(pause)) != nil else { return }
      }
    }
  }

  private func ask() -> Task<StoreError?, Never> {
    let task = Task { () -> StoreError? in
      defer { asking = nil }
      let claim = current.claim
      let request = AttributionRequest(
        installationID: await installation.id(), platform: Platform.name, claim: claim)
      do throws(StoreError) {
        let message = try await store.attribution(request)
        _ = change {
          $0.answered(message.refererURL, to: claim)
          return true
        }
        return nil
      } catch {
        return error
      }
    }
    asking = task
    return task
  }

  private var current: AttributionRecord { record ?? read() }

  private func read() -> AttributionRecord {
    let stored = try? folder.read(Self.file).flatMap { try? JSONDecoder().decode(AttributionRecord.self, from: $0) }
    let usable = stored.flatMap { $0.isUsable(by: owner) ? $0 : nil } ?? AttributionRecord(owner: owner)
    record = usable
    return usable
  }

  /// Changes the record; what has changed is on disk afterwards.
  private func change(_ body: (inout AttributionRecord) -> Bool) -> Bool {
    var changed = current
    guard body(&changed) else { return false }
    record = changed
    do {
      try folder.make()
      try folder.write([(name: Self.file, content: JSONEncoder().encode(changed))])
    } catch {
      dependencies.logger.error("Where the installation came from cannot be kept: \(error)")
    }
    return true
  }
}

/// The system that the SDK was built for, as the wire names it.
private enum Platform {
  #if os(macOS)
    static let name = "macos"
  #elseif os(iOS) || os(visionOS) || os(tvOS) || os(watchOS)
    static let name = "ios"
  #elseif os(Android)
    static let name = "android"
  #elseif os(Windows)
    static let name = "windows"
  #else
    static let name = "linux"
  #endif
}
