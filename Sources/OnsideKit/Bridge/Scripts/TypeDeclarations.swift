/// `onside.d.ts`, written from the tables of functions, callbacks and types.
enum TypeDeclarations {
  static let text = [header, types, bridgeError, interface].joined(separator: "\n\n") + "\n"

  private static let header = "// window.onside: purchases from a web page. Written from the tables of the SDK."

  private static let types = BridgeType.all.map(\.declaration).joined(separator: "\n\n")

  private static let bridgeError = """
    /** What a call rejects with that did not reach the SDK, or whose result did not reach the page. */
    export interface OnsideBridgeError extends Error {
      readonly name: 'OnsideBridgeError';
      readonly code: OnsideBridgeErrorCode;
    }
    """

  private static var interface: String {
    let functions = BridgeFunction.all.map { $0.declaration(indent: "    ") }
    let callbacks = BridgeCallback.all.map { $0.declaration(indent: "    ") }
    return """
      declare global {
        /** Errors of the SDK are `{ caseName: {} }`: test with `'caseName' in error`. All else is an OnsideBridgeError. */
        interface Onside {
      \((functions + callbacks).joined(separator: "\n"))
        }

        interface Window {
          readonly onside: Onside;
        }
      }
      """
  }
}
