/// Pointers that C gives to a callback on GTK's thread, on their way to the ``GTKActor``, which is the same thread. The one
/// place that answers for what the compiler cannot see there.
struct FromC<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}
