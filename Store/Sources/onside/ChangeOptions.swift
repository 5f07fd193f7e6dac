import ArgumentParser
import Foundation
import OnsideStore
import StoreBase

/// The options of a command that changes the store. Each such command has a row in the audit.
struct ChangeOptions: ParsableArguments {
  @OptionGroup var store: StoreOptions
  @Option(
    name: .customLong("as"),
    help: ArgumentHelp(
      "The operator's name in the audit. Default: the Unix user, of sudo its caller.", valueName: "name"))
  var operatorName: String?

  func validate() throws {
    guard let operatorName, !OperatorName.isValid(operatorName) else { return }
    throw ValidationError(
      "--as: expected 1 to \(OperatorName.longest) characters without control characters")
  }

  /// Opens the store for one command, and writes the command's row in the audit.
  ///
  /// - Parameters:
  ///   - act: nil for a command that changes nothing this time, as with `--dry-run`.
  ///   - creating: see ``StoreOptions/withStore(creating:_:)``.
  func withStore<Result: Sendable>(
    _ act: CommandAct?, creating: Bool = false, _ body: (StoreCore) async throws -> Result
  ) async throws -> Result {
    // To open the store drops root's rights.
    let name = operatorName ?? OperatorName.unixUser
    return try await store.withStore(creating: creating) { core in
      guard let act else { return try await body(core) }
      return try await act.audited(by: name).perform(with: core.dependencies.base) { try await body(core) }
    }
  }
}

/// The name of an operator in the audit.
enum OperatorName {
  /// Maximum number of characters.
  static let longest = 100

  /// True for a text that is not empty, not too long, and without control characters.
  static func isValid(_ text: String) -> Bool {
    1...longest ~= text.count && !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
  }

  /// The user who runs the program; the caller of sudo, if sudo has started it.
  static var unixUser: String {
    let caller = ProcessInfo.processInfo.environment["SUDO_USER"] ?? ""
    if isValid(caller) { return caller }
    let id = geteuid()
    let name = getpwuid(id).map { String(cString: $0.pointee.pw_name) } ?? ""
    return isValid(name) ? name : "user \(id)"
  }
}
