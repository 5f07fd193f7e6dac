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
