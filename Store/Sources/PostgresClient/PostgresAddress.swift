/// Where a database is and who opens it, as a URL: `postgres://USER:PASSWORD@HOST:PORT/DATABASE?OPTION=VALUE`. Several
/// hosts are separated by commas; a host that begins with `%2F` is the folder of a Unix socket. The options are those
/// of libpq. Printing it never shows the password.
public struct PostgresAddress: Sendable, Hashable {
  /// libpq's options by their names, as far as the URL has them.
  private let options: [String: String]

  /// Reads a URL. No server is asked.
  public init(_ url: String) throws(PostgresError) {
    guard let rest = Self.schemes.firstNonNil({ url.hasPrefix($0) ? url.dropFirst($0.count) : nil }), !rest.isEmpty,
      !url.utf8.contains(0), let options = LibPQ.options(ofURL: url)
    else {
      throw Self.invalid("expected postgres://USER:PASSWORD@HOST:PORT/DATABASE, but the address is not of that form")
    }
    self.options = options
    let attributes = options["target_session_attrs"] ?? "read-write"
    guard ["read-write", "primary", "any"].contains(attributes) else {
      throw Self.invalid("expected target_session_attrs=read-write or any, but it is \(attributes)")
    }
    _ = try hosts()
  }

  private static let schemes = ["postgres://", "postgresql://"]

  private static func invalid(_ message: String) -> PostgresError { PostgresError(.invalidAddress, message: message) }
}

extension PostgresAddress {
  /// The variables by which PostgreSQL's own programs connect to this database. They have the password; other users of
  /// the machine can read the arguments of a program, but not its variables.
  public var environment: [String: String] {
    let variables = LibPQ.variables
    let writable = ["target_session_attrs": "read-write"].merging(options) { $1 }
    return Dictionary(uniqueKeysWithValues: writable.compactMap { name, value in variables[name].map { ($0, value) } })
  }

  /// The name of the database; nil when libpq takes the user's.
  public var database: String? { options["dbname"] }

  /// One of the hosts.
  struct Host: Sendable, Hashable {
    /// A name, an address, or the folder of a socket; nil for libpq's own choice.
    let name: String?
    /// An address that needs no resolver.
    var address: String?
    let port: String?
  }

  /// Whether a server that refuses to write will do.
  var allowsReadOnly: Bool { options["target_session_attrs"] == "any" }

  /// The hosts in their order.
  func hosts() throws(PostgresError) -> [Host] {
    let (names, addresses, ports) = (list("host"), list("hostaddr"), list("port"))
    let count = max(names.count, addresses.count, 1)
    for other in [names, addresses] where !other.isEmpty && other.count != count {
      throw Self.invalid("expected as many hosts as values of hostaddr, but got \(names.count) and \(addresses.count)")
    }
    guard ports.count <= 1 || ports.count == count else {
      throw Self.invalid("expected one port, or one for each of \(count) hosts, but got \(ports.count)")
    }
    if let port = ports.first(where: { !$0.isEmpty && !(1...65535 ~= Int($0) ?? 0) }) {
      throw Self.invalid("expected a port from 1 to 65535, but it is \(port)")
    }
    return (0..<count).map { index in
      Host(
        name: names.nonEmpty(at: index), address: addresses.nonEmpty(at: index),
        port: ports.nonEmpty(at: ports.count == 1 ? 0 : index))
    }
  }

  /// What libpq is given to open one host.
  func parameters(for host: Host, settings: PostgresSettings) -> [String: String] {
    var parameters = Self.defaults.merging(options) { $1 }
    // The walk over the hosts, the deadline and the check of the session are this client's own.
    for own in ["target_session_attrs", "connect_timeout", "host", "hostaddr", "port"] { parameters[own] = nil }
    parameters["host"] = host.name
    parameters["hostaddr"] = host.address
    parameters["port"] = host.port
    parameters["client_encoding"] = "UTF8"
    parameters["fallback_application_name"] = settings.applicationName
    parameters["options"] = [settings.options, options["options"]].compactMap(\.self).joined(separator: " ")
    return parameters
  }

  /// A host that stops answering is noticed within seconds.
  private static let defaults = [
    "tcp_user_timeout": "3000", "keepalives_idle": "2", "keepalives_interval": "1", "keepalives_count": "3",
  ]

  private func list(_ option: String) -> [String] {
    options[option].map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) } ?? []
  }
}

extension PostgresAddress: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The hosts, the database and the user.
  public var description: String {
    let hosts = (try? hosts())?.map(\.description).joined(separator: ",") ?? ""
    let user = options["user"].map { "\($0)@" } ?? ""
    return "postgres://\(user)\(hosts)/\(options["dbname"] ?? "")"
  }

  /// The same.
  public var debugDescription: String { description }

  /// Without children: one of them is the password.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension PostgresAddress.Host: CustomStringConvertible {
  var description: String { (name ?? address ?? "") + (port.map { ":\($0)" } ?? "") }
}

extension Array {
  fileprivate func firstNonNil<T>(_ transform: (Element) -> T?) -> T? { lazy.compactMap(transform).first }
}

extension Array<String> {
  fileprivate func nonEmpty(at index: Int) -> String? {
    indices.contains(index) && !self[index].isEmpty ? self[index] : nil
  }
}
