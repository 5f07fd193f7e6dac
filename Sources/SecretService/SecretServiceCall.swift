#if os(Linux)
  import Glibc

  /// A few calls to the Secret Service, on one thread.
  final class SecretServiceCall {
    private let library: LibSecret
    private let cancellation: Cancellation
    private let context: LibSecret.Object
    private let bus: LibSecret.Object
    private let service: LibSecret.Object

    /// Connects, and begins a session in which secrets are encrypted.
    init(_ library: LibSecret, cancellation: Cancellation) throws(SecretServiceError) {
      let bus = try library.sessionBus(cancellation)
      // A main context of its own: signals for this call are delivered to this call only.
      let context = library.contextNew()
      library.contextPush(context)
      do throws(SecretServiceError) {
        // SECRET_SERVICE_OPEN_SESSION.
        service = try library.object("reach the Secret Service") {
          library.serviceOpen(library.serviceType(), nil, 2, cancellation.object, $0)
        }
      } catch {
        library.end(context)
        library.objectUnref(bus)
        throw error
      }
      (self.library, self.cancellation, self.context, self.bus) = (library, cancellation, context, bus)
    }

    deinit {
      library.objectUnref(service)
      library.end(context)
      library.objectUnref(bus)
    }

    /// Whether new secrets could be kept now.
    func check() throws(SecretServiceError) { library.objectUnref(try unlockedCollection()) }

    /// Keeps a secret, a text, in the user's default collection, in the place of what has the same attributes.
    func keep(
      _ text: UnsafeBufferPointer<CChar>, label: String, attributes: [String: String]
    ) throws(SecretServiceError) {
      guard let start = text.baseAddress else { throw .unavailable("there is nothing to keep") }
      let collection = try unlockedCollection()
      let table = AttributeTable(attributes, library: library)
      let value = library.valueNew(start, text.count, "text/plain")
      defer {
        library.valueUnref(value)
        library.objectUnref(collection)
      }
      // SECRET_ITEM_CREATE_REPLACE.
      let item = try library.object("keep a secret") {
        library.itemCreate(collection, nil, table.object, label, value, 2, cancellation.object, $0)
      }
      library.objectUnref(item)
    }

    /// The values of an attribute of the items with the others; of unlocked ones, since locked ones do not tell.
    func values(of attribute: String, where attributes: [String: String]) throws(SecretServiceError) -> Set<String> {
      let values = try withItems(attributes) { item -> String? in
        guard library.itemIsLocked(item) == 0 else { return nil }
        let table = library.itemAttributes(item)
        defer { library.tableUnref(table) }
        return library.tableLookup(table, attribute).map { String(cString: $0) }
      }
      return Set(values)
    }

    /// What `read` makes of the secret with the attributes; nil when there is none.
    func secret<Value>(
      _ attributes: [String: String], mayAsk: Bool, _ read: (UnsafeBufferPointer<UInt8>) -> Value
    ) throws(SecretServiceError) -> Value? {
      try withItems(attributes) { item throws(SecretServiceError) -> Value? in
        if library.itemIsLocked(item) != 0 {
          guard mayAsk else { throw SecretServiceError.locked }
          try unlock(item)
        }
        try library.success("read a secret") { library.itemLoadSecret(item, cancellation.object, $0) }
        guard let value = library.itemSecret(item) else { throw SecretServiceError.locked }
        defer { library.valueUnref(value) }
        var count: UInt = 0
        guard let start = library.valueGet(value, &count) else { return nil }
        return read(UnsafeBufferPointer(start: start, count: Int(count)))
      }.first
    }

    /// Removes what has the attributes.
    func remove(_ attributes: [String: String]) throws(SecretServiceError) {
      _ = try withItems(attributes) { item throws(SecretServiceError) -> Void? in
        try library.success("remove a secret") { library.itemDelete(item, cancellation.object, $0) }
        return nil
      }
    }

    private func withItems<Value>(
      _ attributes: [String: String], _ body: (LibSecret.Object) throws(SecretServiceError) -> Value?
    ) throws(SecretServiceError) -> [Value] {
      let table = AttributeTable(attributes, library: library)
      // SECRET_SEARCH_ALL: without it, locked items are left out beside unlocked ones.
      let list = try library.value("search for a secret") {
        library.search(service, nil, table.object, 2, cancellation.object, $0)
      }
      let items = library.objects(of: list)
      defer { for item in items { library.objectUnref(item) } }
      var found: [Value] = []
      for item in items { if let value = try body(item) { found.append(value) } }
      return found
    }

    private func unlockedCollection() throws(SecretServiceError) -> LibSecret.Object {
      let collection = try library.value("find the default collection") {
        library.collectionForAlias(service, "default", 0, cancellation.object, $0)
      }
      guard let collection else { throw .unavailable("the Secret Service has no default collection") }
      guard library.collectionIsLocked(collection) == 0 else {
        library.objectUnref(collection)
        throw .locked
      }
      return collection
    }

    /// Unlocks an item with a prompt of the desktop.
    private func unlock(_ item: LibSecret.Object) throws(SecretServiceError) {
      let list = library.listNew(nil, item)
      defer { library.listFree(list) }
      let count = try library.value("unlock a secret") { library.unlock(service, list, cancellation.object, nil, $0) }
      guard count > 0 else { throw .locked }
    }
  }

  /// A `GHashTable` of texts.
  private struct AttributeTable: ~Copyable {
    let object: LibSecret.Object
    private let texts: [UnsafeMutablePointer<CChar>?]
    private let library: LibSecret

    init(_ attributes: [String: String], library: LibSecret) {
      self.library = library
      object = library.tableNew(library.textHash, library.textEqual)
      var texts: [UnsafeMutablePointer<CChar>?] = []
      for (name, value) in attributes {
        let pair = (strdup(name), strdup(value))
        texts += [pair.0, pair.1]
        _ = library.tableInsert(object, pair.0, pair.1)
      }
      self.texts = texts
    }

    deinit {
      library.tableUnref(object)
      for text in texts { free(text) }
    }
  }

  extension LibSecret {
    fileprivate func end(_ context: Object) {
      finish(context)
      contextPop(context)
      contextUnref(context)
    }
  }
#endif
