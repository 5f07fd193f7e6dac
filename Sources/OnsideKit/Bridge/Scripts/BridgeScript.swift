/// The scripts that hosts put into pages.
public enum BridgeScript {
  /// The page's script for web views: page world, top frame only, at document start.
  public static let webKitPage = page(connection: WebKitScripts.pageConnection)

  /// The script between that one and native code: in the script world ``webKitWorld``, top frame only, at document
  /// start, before or after the other. That world has the message handler ``webKitHandler``, which replies with text.
  public static let webKitRelay = WebKitScripts.relay

  /// The name of the script world that belongs to the bridge.
  public static let webKitWorld = "onside"
  /// The name of the message handler with reply in that world, and only there.
  public static let webKitHandler = "onside"
  /// The body of the asynchronous function that gives a message to the page; it is called in ``webKitWorld`` with one
  /// argument, ``webKitPushArgument``.
  public static let webKitPushBody = "return window.onsideReceive(message)"
  /// The name of that argument, a string.
  public static let webKitPushArgument = "message"

  /// The page's script for another way to native code.
  /// - Parameter connection: a JavaScript expression, a function `(receive, replied, failed, lost) => send` that is
  ///   called once, at document start. `send(message)` sends `message.text`, and later calls either
  ///   `replied(message, text)` or, when there will be no reply, `failed(message, reason)`; `message.next` is the
  ///   connection's. It calls `receive(text)` with every text that is pushed, and `lost(reason)` when nothing will be
  ///   pushed any more: what is open rejects then. The page can replace every global later, so the connection takes
  ///   those that it needs at once.
  public static func page(connection: String) -> String {
    """
    (\(PageScript.facade))(
    \(connection),
    \(list(BridgeFunction.all.map(\.name))),
    \(list(BridgeFunction.all.filter { $0.parameter == nil }.map(\.name))),
    \(list(BridgeFunction.all.filter(\.isParameterOptional).map(\.name))),
    \(list(BridgeFunction.all.filter(\.isFireAndForget).map(\.name))),
    \(list(BridgeCallback.all.map(\.name))));

    """
  }

  /// What TypeScript has to know of `window.onside`: the text of `onside.d.ts`.
  public static let typeDeclarations = TypeDeclarations.text

  private static func list(_ names: [String]) -> String {
    "[" + names.map { "'\($0)'" }.joined(separator: ", ") + "]"
  }
}
