import Foundation

/// The signed history as pages see it.
struct JSSignedInAppsHistory: Encodable {
  let dataBase64: String
  let string: String?

  init(_ history: OnsideSignedInAppsHistory) {
    dataBase64 = history.data.base64EncodedString()
    string = history.string
  }
}
