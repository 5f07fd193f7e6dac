/// A step that was not as promised.
struct DemoFailure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// Fails the demonstration when something is not as promised.
func expect(_ condition: Bool, _ failure: @autoclosure () -> String) throws {
  guard condition else { throw DemoFailure(failure()) }
}
