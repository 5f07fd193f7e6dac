import CWebKitGTK

/// A continuation that waits for one of GLib's asynchronous calls, on its way through C.
enum Completion {
  private final class Box<Value: Sendable> {
    let done: CheckedContinuation<Value, Never>
    init(_ done: CheckedContinuation<Value, Never>) { self.done = done }
  }

  /// What to give the call as user data.
  static func keep<Value: Sendable>(_ done: CheckedContinuation<Value, Never>) -> gpointer {
    Unmanaged.passRetained(Box(done)).toOpaque()
  }

  /// Goes on with the value of the call. To be called once.
  static func finish<Value: Sendable>(_ kept: gpointer?, with value: Value) {
    guard let kept else { return }
    Unmanaged<Box<Value>>.fromOpaque(kept).takeRetainedValue().done.resume(returning: value)
  }
}
