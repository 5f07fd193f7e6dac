import HTTPTypes
import Hummingbird

extension Request {
  /// The caller's network address; empty where there is none. Behind a proxy it is the last entry of
  /// `X-Forwarded-For`, the one that our own proxy has added.
  func clientAddress(_ context: StoreRequestContext, isBehindProxy: Bool) -> String {
    if isBehindProxy, let forwarded = headers[.forwardedFor] {
      return forwarded.split(separator: ",").last.map { String($0.trimmingPrefix(while: \.isWhitespace)) } ?? ""
    }
    return context.clientAddress ?? ""
  }
}
