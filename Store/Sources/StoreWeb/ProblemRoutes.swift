import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import OnsideAPI

/// The pages that the `type` of a problem leads to.
package struct ProblemRoutes: RouteGroup {
  package init() {}

  package func addRoutes(to routes: StoreRoutes) {
    routes.on(.problem) { _, context in
      guard let code = context.parameters.get("code"),
        let explanation = ProblemExplanation.byCode[ProblemCode(rawValue: code)]
      else { throw Problem.notFound }
      return Response(
        status: .ok, headers: [.contentType: "text/plain; charset=utf-8", .cacheControl: "public, max-age=86400"],
        body: .init(byteBuffer: ByteBuffer(string: explanation.page)))
    }
  }
}

extension ProblemExplanation {
  /// The explanation as plain text.
  fileprivate var page: String {
    """
    \(code.rawValue) (HTTP status \(status))

    \(meaning)

    What to do: \(remedy)

    """
  }
}
