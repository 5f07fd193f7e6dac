import CWebKitGTK

/// Signals of GObject.
@GTKActor
enum Signals {
  /// Calls a C function for each signal, with `receiver` as its last argument. The object keeps the receiver until it
  /// is finalized or the signal disconnected.
  @discardableResult
  static func connect(
    _ object: UnsafeMutableRawPointer, signal: String, to receiver: AnyObject, function: GCallback
  ) -> UInt {
    g_signal_connect_data(
      object, signal, function, Unmanaged.passRetained(receiver).toOpaque(),
      { receiver, _ in
        guard let receiver else { return }
        Unmanaged<AnyObject>.fromOpaque(receiver).release()
      }, GConnectFlags(rawValue: 0))
  }

  /// The receiver that a C function was given, on GTK's thread.
  nonisolated static func with<Receiver: AnyObject>(
    _ receiver: UnsafeMutableRawPointer?, as _: Receiver.Type, _ body: @GTKActor (Receiver) -> Void
  ) {
    guard let receiver else { return }
    let object = FromC(Unmanaged<Receiver>.fromOpaque(receiver).takeUnretainedValue())
    GTKActor.assumeIsolated { body(object.value) }
  }
}
