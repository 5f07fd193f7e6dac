/// The result of a call.
struct BridgeResult: Sendable {
  let call: Int
  let outcome: BridgeOutcome

  /// The result as JSON. What cannot be encoded is replaced by an error, so that the call settles (JSB-8).
  var text: String {
    do {
      return switch outcome {
      case .done: #"{"id":\#(call)}"#
      case .value(let encoded): object(with: "value", try encoded())
      case .rejection(let error): object(with: "rejection", try JSONText(error))
      case .error(let error): object(with: "error", try JSONText(error))
      }
    } catch {
      return object(with: "error", (try? JSONText(BridgeError.resultNotSerializable)) ?? .null)
    }
  }

  private func object(with name: String, _ value: JSONText) -> String {
    #"{"id":\#(call),"\#(name)":\#(value.text)}"#
  }
}
