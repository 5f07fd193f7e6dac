/// A version of `window.onside` that a page may ask for in `initializeOnside`.
enum BridgeVersion: String, Decodable {
  case v1
}
