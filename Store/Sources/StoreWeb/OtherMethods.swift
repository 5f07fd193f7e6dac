import HTTPTypes
import Hummingbird
import OnsideAPI

/// The answers on a path to the methods that no route of the path has: 405, and for `OPTIONS` the list of those it has.
struct OtherMethods {
  private static let refused: [HTTPRequest.Method] = [.get, .post, .put, .patch, .delete, .trace]

  /// Whether a method is one that the routes of a path answer, or refuse.
  static func isKnown(_ method: HTTPRequest.Method) -> Bool {
    refused.contains(method) || method == .head || method == .options
  }

  private let path: String
  private let pipeline: RequestPipeline
  /// The methods that the path's routes have.
  private let allowed: [HTTPRequest.Method]
  /// A refusal is a page unless programs call the path, too.
  private let caller: Route.Caller
  private let isShared: Bool

  /// - Parameters:
  ///   - routes: all routes of the path.
  ///   - isShared: whether scripts of other sites may call the path.
  init(path: String, routes: [Route], isShared: Bool, pipeline: RequestPipeline) {
    self.path = path
    self.pipeline = pipeline
    self.isShared = isShared
    allowed = routes.map { HTTPRequest.Method($0.method) }
    caller = routes.allSatisfy { $0.caller == .browser } ? .browser : .anyone
  }

  /// Each method with its answer.
  var all: [(method: HTTPRequest.Method, responder: MiddlewareChain)] {
    var answers = [(method: HTTPRequest.Method.options, responder: isShared ? preflight : options)]
    let refusal = refusal
    for method in Self.refused where !allowed.contains(method) { answers.append((method, refusal)) }
    return answers
  }

  private var refusal: MiddlewareChain {
    responder(by: caller) { _, _ in throw Problem(.methodNotAllowed, code: .methodNotAllowed) }
  }

  private var options: MiddlewareChain { responder(by: .anyone) { _, _ in .noContent } }

  /// The answer to a browser's CORS preflight request.
  private var preflight: MiddlewareChain {
    let methods = (allowed.map(\.rawValue) + ["OPTIONS"]).joined(separator: ", ")
    return responder(by: .anyone) { _, _ in
      var response = Response.noContent
      response.headers[.accessControlAllowMethods] = methods
      response.headers[.accessControlAllowHeaders] = "Content-Type"
      response.headers[.accessControlMaxAge] = "86400"
      return response
    }
  }

  private func responder(by caller: Route.Caller, _ handler: @escaping StoreRoutes.Handler) -> MiddlewareChain {
    let allow = AllowMiddleware(methods: allowHeader)
    return pipeline.responder(
      Route(.get, path, by: caller), outer: isShared ? [CrossOriginMiddleware(), allow] : [allow], handler: handler)
  }

  /// The value of `Allow`. The router answers HEAD where there is GET.
  private var allowHeader: String {
    let all = allowed.flatMap { $0 == .get ? [.get, .head] : [$0] } + [.options]
    return all.map(\.rawValue).joined(separator: ", ")
  }
}

extension HTTPRequest.Method {
  init(_ method: Route.Method) {
    switch method {
    case .get: self = .get
    case .post: self = .post
    }
  }
}
