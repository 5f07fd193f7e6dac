#if os(Linux)
  import Glibc
  import Synchronization

  /// libsecret and the GLib under it, taken when they are first needed: a program runs without them, and need not be
  /// linked with them. The functions are those of libsecret 0.20 and GLib 2.54, whose interface is stable.
  ///
  /// Unchecked: the functions are the same for every thread, and may be called from any.
  final class LibSecret: @unchecked Sendable {
    /// What C points to: objects, and structures of which a few words are read here.
    typealias Object = UnsafeMutableRawPointer
    typealias Text = UnsafePointer<CChar>
    /// Where a call leaves its `GError`.
    typealias Failure = UnsafeMutablePointer<Object?>

    /// Nil where libsecret is not installed.
    static let loaded = LibSecret()

    let serviceType: @convention(c) () -> UInt
    let serviceOpen: @convention(c) (UInt, Text?, Int32, Object?, Failure) -> Object?
    let collectionForAlias: @convention(c) (Object, Text, Int32, Object?, Failure) -> Object?
    let collectionIsLocked: @convention(c) (Object) -> Int32
    let search: @convention(c) (Object, Object?, Object, Int32, Object?, Failure) -> Object?
    let unlock: @convention(c) (Object, Object, Object?, Object?, Failure) -> Int32
    let itemIsLocked: @convention(c) (Object) -> Int32
    let itemAttributes: @convention(c) (Object) -> Object
    let itemLoadSecret: @convention(c) (Object, Object?, Failure) -> Int32
    let itemSecret: @convention(c) (Object) -> Object?
    let itemCreate: @convention(c) (Object, Object?, Object, Text, Object, Int32, Object?, Failure) -> Object?
    let itemDelete: @convention(c) (Object, Object?, Failure) -> Int32
    let valueNew: @convention(c) (Text, Int, Text) -> Object
    let valueGet: @convention(c) (Object, UnsafeMutablePointer<UInt>) -> UnsafePointer<UInt8>?
    let valueUnref: @convention(c) (Object) -> Void

    let bus: @convention(c) (Int32, Object?, Failure) -> Object?
    let isClosed: @convention(c) (Object) -> Int32
    let setExitOnClose: @convention(c) (Object, Int32) -> Void
    let objectUnref: @convention(c) (Object) -> Void
    let errorFree: @convention(c) (Object) -> Void
    let listNew: @convention(c) (Object?, Object) -> Object
    let listFree: @convention(c) (Object) -> Void
    let tableNew: @convention(c) (Object, Object) -> Object
    let tableInsert: @convention(c) (Object, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<CChar>?) -> Int32
    let tableLookup: @convention(c) (Object, Text) -> Text?
    let tableUnref: @convention(c) (Object) -> Void
    /// Functions that others are given: hash and compare texts.
    let textHash: Object
    let textEqual: Object
    let cancellableNew: @convention(c) () -> Object
    let cancellableCancel: @convention(c) (Object) -> Void
    let contextNew: @convention(c) () -> Object
    let contextPush: @convention(c) (Object) -> Void
    let contextPop: @convention(c) (Object) -> Void
    let contextIterate: @convention(c) (Object, Int32) -> Int32
    let contextUnref: @convention(c) (Object) -> Void

    /// What the shared connection to the bus has to do is done here, by one thread at a time.
    let busContext: Object
    let busTurn = Mutex(())

    private init?() {
      // What libsecret itself is linked with is found through its own handle.
      guard let handle = dlopen("libsecret-1.so.0", RTLD_NOW | RTLD_LOCAL) else { return nil }
      struct Missing: Error {}
      func address(_ name: String) throws -> Object {
        guard let address = dlsym(handle, name) else { throw Missing() }
        return address
      }
      func function<Function>(_ name: String) throws -> Function {
        unsafeBitCast(try address(name), to: Function.self)
      }
      do {
        serviceType = try function("secret_service_get_type")
        serviceOpen = try function("secret_service_open_sync")
        collectionForAlias = try function("secret_collection_for_alias_sync")
        collectionIsLocked = try function("secret_collection_get_locked")
        search = try function("secret_service_search_sync")
        unlock = try function("secret_service_unlock_sync")
        itemIsLocked = try function("secret_item_get_locked")
        itemAttributes = try function("secret_item_get_attributes")
        itemLoadSecret = try function("secret_item_load_secret_sync")
        itemSecret = try function("secret_item_get_secret")
        itemCreate = try function("secret_item_create_sync")
        itemDelete = try function("secret_item_delete_sync")
        valueNew = try function("secret_value_new")
        valueGet = try function("secret_value_get")
        valueUnref = try function("secret_value_unref")
        bus = try function("g_bus_get_sync")
        isClosed = try function("g_dbus_connection_is_closed")
        setExitOnClose = try function("g_dbus_connection_set_exit_on_close")
        objectUnref = try function("g_object_unref")
        errorFree = try function("g_error_free")
        listNew = try function("g_list_prepend")
        listFree = try function("g_list_free")
        tableNew = try function("g_hash_table_new")
        tableInsert = try function("g_hash_table_insert")
        tableLookup = try function("g_hash_table_lookup")
        tableUnref = try function("g_hash_table_unref")
        textHash = try address("g_str_hash")
        textEqual = try address("g_str_equal")
        cancellableNew = try function("g_cancellable_new")
        cancellableCancel = try function("g_cancellable_cancel")
        contextNew = try function("g_main_context_new")
        contextPush = try function("g_main_context_push_thread_default")
        contextPop = try function("g_main_context_pop_thread_default")
        contextIterate = try function("g_main_context_iteration")
        contextUnref = try function("g_main_context_unref")
      } catch {
        return nil
      }
      busContext = contextNew()
    }
  }

  extension LibSecret {
    /// The objects of a `GList`, which is freed; they are not.
    func objects(of list: Object?) -> [Object] {
      var objects: [Object] = []
      var node = list
      while let here = node {
        if let object = here.load(as: Object?.self) { objects.append(object) }
        node = here.load(fromByteOffset: 8, as: Object?.self)
      }
      if let list { listFree(list) }
      return objects
    }

    /// What a `GError` says; it is freed.
    func message(of error: Object) -> String {
      defer { errorFree(error) }
      // Behind domain and code.
      return error.load(fromByteOffset: 8, as: Text?.self).map { String(cString: $0) } ?? "no reason"
    }
  }

  /// What fails in C throws.
  extension LibSecret {
    func success(_ action: String, _ body: (Failure) -> Int32) throws(SecretServiceError) {
      guard try value(action, body) != 0 else { throw .unavailable("could not \(action)") }
    }

    func object(_ action: String, _ body: (Failure) -> Object?) throws(SecretServiceError) -> Object {
      guard let object = try value(action, body) else { throw .unavailable("could not \(action)") }
      return object
    }

    func value<Value>(_ action: String, _ body: (Failure) -> Value) throws(SecretServiceError) -> Value {
      var failure: Object?
      let value = body(&failure)
      if let failure { throw .unavailable("could not \(action): \(message(of: failure))") }
      return value
    }
  }

  /// Lets another thread end the calls of one.
  final class Cancellation: @unchecked Sendable {
    private let library: LibSecret
    let object: LibSecret.Object

    init(_ library: LibSecret) {
      self.library = library
      object = library.cancellableNew()
    }

    deinit { library.objectUnref(object) }

    func cancel() { library.cancellableCancel(object) }
  }
#endif
