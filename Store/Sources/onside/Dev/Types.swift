import ArgumentParser
import OnsideKit

/// Prints what TypeScript has to know of `window.onside`.
struct Types: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Prints onside.d.ts, the types of window.onside: onside types > onside.d.ts")

  func run() { print(BridgeScript.typeDeclarations, terminator: "") }
}
