/// A pointer that C gives to a callback on GTK's thread, passed to the ``GTKActor``, which is the same thread. This is
/// the one place with an unchecked `Sendable` for that.
struct FromC<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}
