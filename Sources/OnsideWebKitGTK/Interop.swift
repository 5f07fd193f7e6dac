import CWebKitGTK
import Foundation

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

/// A pointer that C gives to a callback on GTK's thread, passed to the ``GTKActor``, which is the same thread. This is
/// the one place with an unchecked `Sendable` for that.
struct FromC<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}

/// GObject's casts are macros, which Swift does not see.
extension UnsafeMutablePointer {
  func retyped<Other>(_: Other.Type = Other.self) -> UnsafeMutablePointer<Other> {
    UnsafeMutableRawPointer(self).assumingMemoryBound(to: Other.self)
  }
}

extension Optional {
  /// The object that a constructor made. GLib ends the program when there is no memory for one.
  func retyped<Object, Other>(_: Other.Type = Other.self) -> UnsafeMutablePointer<Other>
  where Wrapped == UnsafeMutablePointer<Object> {
    guard let self else { preconditionFailure("GTK made no \(Other.self); it has not been started") }
    return self.retyped()
  }
}

extension WebKitViews {
  /// The text of a JavaScript value; nil for a value of another kind.
  nonisolated static func text(of value: OpaquePointer) -> String? {
    guard jsc_value_is_string(value) != 0, let bytes = jsc_value_to_string_as_bytes(value) else { return nil }
    defer { g_bytes_unref(bytes) }
    var count = gsize(0)
    let start = g_bytes_get_data(bytes, &count)
    return String(decoding: UnsafeRawBufferPointer(start: start, count: Int(count)), as: UTF8.self)
  }
}

extension Data {
  /// The content of GLib's bytes.
  init(_ bytes: OpaquePointer) {
    var count = gsize(0)
    let start = g_bytes_get_data(bytes, &count)
    self = start.map { Data(bytes: $0, count: Int(count)) } ?? Data()
  }
}
