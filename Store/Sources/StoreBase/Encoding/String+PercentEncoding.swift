import OnsideAPI

extension String {
  /// Everything but RFC 3986's unreserved characters percent-encoded.
  package var percentEncoded: String { PercentEncoding.encode(self) }
}
