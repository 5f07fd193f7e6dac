import CPostgres

/// libpq's functions that need no connection.
enum LibPQ {
  /// The options that a URL sets; nil when libpq does not understand it. Its own message is not passed on: it may
  /// repeat the URL with the password.
  static func options(ofURL url: String) -> [String: String]? {
    var message: UnsafeMutablePointer<CChar>?
    let parsed = PQconninfoParse(url, &message)
    defer { PQfreemem(message) }
    guard let parsed else { return nil }
    return values(of: parsed)
  }

  /// The options in effect for a connection: its address, libpq's variables, a service file, and libpq's defaults.
  static func options(of connection: OpaquePointer) -> [String: String] { PQconninfo(connection).map(values) ?? [:] }

  /// The values of a list, which is freed.
  private static func values(of list: UnsafeMutablePointer<PQconninfoOption>) -> [String: String] {
    defer { PQconninfoFree(list) }
    var values: [String: String] = [:]
    var next = list
    while let keyword = next.pointee.keyword {
      if let value = next.pointee.val { values[String(cString: keyword)] = String(cString: value) }
      next += 1
    }
    return values
  }

  /// The variables that set libpq's options, by the options' names.
  static var variables: [String: String] {
    guard let defaults = PQconndefaults() else { return [:] }
    defer { PQconninfoFree(defaults) }
    var variables: [String: String] = [:]
    var next = defaults
    while let keyword = next.pointee.keyword {
      if let variable = next.pointee.envvar { variables[String(cString: keyword)] = String(cString: variable) }
      next += 1
    }
    return variables
  }
}
