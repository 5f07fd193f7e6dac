/// `onside.d.ts`, written from the tables of functions, callbacks and types.
enum TypeDeclarations {
  static let text = [header, types, bridgeErrors, interface, global].joined(separator: "\n\n") + "\n"

  private static let header = "// window.onside: purchases from a web page. Written from the tables of the SDK."

  private static let types = BridgeType.all.map(\.declaration).joined(separator: "\n\n")

  private static let bridgeErrors = """
    /** What a call rejects with that did not reach the SDK, or whose result did not reach the page. */
    export interface OnsideBridgeError extends Error {
      readonly name: 'OnsideBridgeError';
      readonly code: OnsideBridgeErrorCode;
    }

    /** The same error as other implementations name it. This one raises OnsideBridgeError. */
    export interface PontoonBridgeError extends Error {
      readonly name: 'PontoonBridgeError';
      readonly code:
        | 'bridgeDetached' | 'brokenRequest' | 'disallowedFrame' | 'functionNotDefined' | 'invalidArguments'
        | 'parametersNotRepresentable' | 'cannotSerializeResponse';
    }
    """

  private static var interface: String {
    let functions = BridgeFunction.all.map { $0.declaration(indent: "  ") }
    let callbacks = BridgeCallback.all.map { $0.declaration(indent: "  ") }
    return """
      /**
       * The type of window.onside. Errors of the SDK are `{ caseName: {} }`: test with `'caseName' in error`. \
      All else is an
       * OnsideBridgeError.
       */
      export interface OnsideJSBridge {
      \((functions + callbacks).joined(separator: "\n"))
      }
      """
  }

  /// A page may declare `Window.onside` itself, in the same words.
  private static let global = """
    declare global {
      interface Onside extends OnsideJSBridge {}

      interface Window {
        onside: OnsideJSBridge;
      }
    }
    """
}
