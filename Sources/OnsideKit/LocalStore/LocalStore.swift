public import Foundation
import Logging
import OnsideAPI
public import OnsideCommerce
import Synchronization

/// A local store on this device, from a `.storekit` file: for development, demonstrations and tests, without a network.
///
/// It sells the products of the file, by the file's settings; a login accepts any name. Purchases are kept until
/// ``reset()``, or for as long as the store lives when it keeps nothing on disk. Stores are independent of each other;
/// several clients may share one, as devices share an account.
public final class LocalStore: Sendable {
  /// The file that it is made of.
  public let configuration: StoreKitConfiguration
  let dependencies: Dependencies

  private struct State {
    var shop: LocalShop
    /// Grows with every change of the book.
    var version = 0
    var isLoaded = false
    var waiters: [Int: AsyncStream<Void>.Continuation] = [:]
    var waits = 0
    var listener: (@Sendable (LocalNote) -> Void)?
  }

  private let state: Mutex<State>
  private let disk: LocalDisk?

  /// Where purchases and the login are kept; nil when they are not.
  public var storageFolder: URL? { disk == nil ? nil : dependencies.storageFolder }

  /// A store for a file that was read.
  /// - Parameters:
  ///   - configuration: what it sells.
  ///   - dependencies: its clock, randomness and logger; its storage folder if it keeps purchases.
  ///   - keepsPurchases: whether purchases are on disk, in `local-store.json` of the storage folder.
  public init(_ configuration: StoreKitConfiguration, dependencies: Dependencies, keepsPurchases: Bool = false) {
    self.configuration = configuration
    self.dependencies = dependencies
    let newID: @Sendable (Date) -> UUID = { UUID.version7(at: $0, random: dependencies.randomBytes(10)) }
    let book = LocalBook(id: newID(dependencies.now()))
    state = Mutex(State(shop: LocalShop(configuration, book: book, newID: newID)))
    disk =
      keepsPurchases ? LocalDisk(folder: dependencies.storageFolder, logger: dependencies.logger) : nil
    let ignored = configuration.ignored + configuration.settings.failuresWithoutEffect
    if !ignored.isEmpty {
      dependencies.logger.notice(
        "Parts of the StoreKit configuration have no meaning here: \(ignored.joined(separator: ", "))")
    }
  }

  // MARK: State

  /// The region of every account; known without reading the disk.
  var region: CountryCode { state.withLock { $0.shop.storefront } }

  /// Reads the shop as it is now.
  func look<Value: Sendable, Failure: Error>(
    _ body: (LocalShop, Date) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try change { shop, now throws(Failure) in try body(shop, now) }
  }

  /// Changes the shop, after running every event that is due by now.
  @discardableResult
  func change<Value: Sendable, Failure: Error>(
    _ body: (inout LocalShop, Date) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let now = dependencies.now()
    let result = state.withLock { state -> Result<Value, Failure> in
      load(&state, at: now)
      let (before, wasOffline) = (state.shop.book, state.shop.isOffline)
      state.shop.deliverDueEvents(until: now)
      let result = Result { () throws(Failure) in try body(&state.shop, now) }
      if state.shop.book != before { state.version += 1 }
      if state.shop.book != before || state.shop.isOffline != wasOffline {
        for waiter in state.waiters.values { waiter.yield() }
      }
      if let listener = state.listener { for note in state.shop.notes(since: before) { listener(note) } }
      state.shop.subscriptionNotes = []
      return result
    }
    return try result.get()
  }

  func setListener(_ listener: @escaping @Sendable (LocalNote) -> Void) {
    state.withLock { $0.listener = listener }
  }

  private func load(_ state: inout State, at now: Date) {
    guard !state.isLoaded else { return }
    state.isLoaded = true
    guard let kept = disk?.open() else { return }
    state.shop.book = kept
    state.shop.catchUp(to: now)
    // Renewed meanwhile: without a new version that would not be saved, and happen again with other ids.
    if state.shop.book != kept { state.version += 1 }
  }

  /// Returns when everything that has happened so far is on disk.
  func save() async {
    let (book, version) = state.withLock { ($0.shop.book, $0.version) }
    disk?.write(book, version: version)
  }

  /// Reads what was bought before, which otherwise happens when it is first needed, and makes sure that what is bought
  /// from now on is kept. An addition for tools.
  /// - Throws: an error when another process uses the folder of this store, so that nothing would be kept.
  public func claim() throws(LocalStoreError) {
    look { _, _ in }
    guard let disk, !disk.isKept else { return }
    throw LocalStoreError(
      """
      expected to keep purchases in \(dependencies.storageFolder.path(percentEncoded: false)), but another process \
      does, another onside dev perhaps: stop it, or set ONSIDE_STORAGE_FOLDER to another folder
      """)
  }

  /// Keeps what has happened, and lets another store use the folder. An addition for tests and tools.
  public func close() async {
    await save()
    disk?.close()
  }

  /// Changes the shop, and saves it soon.
  @discardableResult
  func control<Value: Sendable, Failure: Error>(
    _ body: (inout LocalShop, Date) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    defer { if disk != nil { Task { await save() } } }
    return try change(body)
  }

  // MARK: Waiting

  /// Returns when the shop changes, when something is due, or after so many seconds.
  func untilChange(atMost seconds: Double, unless isThere: (LocalShop) -> Bool) async {
    let (changes, waiter) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let number = state.withLock { state in
      state.waits += 1
      state.waiters[state.waits] = waiter
      return state.waits
    }
    defer { state.withLock { $0.waiters[number] = nil } }
    let due = look { shop, now in isThere(shop) ? nil : min(seconds, shop.wakesAt?.timeIntervalSince(now) ?? seconds) }
    // With an accelerated clock, due events are looked for at most once a second.
    guard let due else { return }
    _ = try? await withDeadline(max(due, 1), sleep: dependencies.sleep) { for await _ in changes { return } }
  }
}

extension StoreKitSettings {
  /// The failures that are switched on and that no call of the SDK can get.
  fileprivate var failuresWithoutEffect: [String] {
    storeKitErrors.filter { LocalStore.Operation(rawValue: $0.operation) == nil }
      .map { "settings._storeKitErrors: \"\($0.operation)\"" }
  }
}
