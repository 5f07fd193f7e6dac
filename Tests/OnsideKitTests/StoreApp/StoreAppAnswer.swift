import Foundation
import Testing

@testable import OnsideKit

/// What the store's app answers to a link: the app's redirect address with the link's state.
func answer(_ link: URL, _ more: String = "&code=right") throws -> URL {
  let redirect = try #require(link.queryValues(named: "redirect_uri").first)
  let state = try #require(link.queryValues(named: "state").first)
  return try #require(URL(string: "\(redirect)?state=\(state)\(more)"))
}
