import OnsideAPI

extension String {
  /// This address with parameters added to its query; names and values are percent-encoded here.
  package func appendingQuery(_ parameters: [(String, String)]) -> String {
    guard !parameters.isEmpty else { return self }
    let query = FormEncoding.encode(parameters.map { (name: $0, value: $1) })
    return self + (contains("?") ? (hasSuffix("?") || hasSuffix("&") ? "" : "&") : "?") + query
  }
}
