import Foundation

extension StripeState {
  /// Puts the method of a payment, or of each payment of a list, in the place of its id where the request asks for
  /// that.
  func expand(_ answer: JSON, form: Form) throws(Refusal) -> JSON {
    let paths = try form.texts("expand").values
    for path in paths where path != "payment_method" && path != "data.payment_method" {
      throw .invalid("This property cannot be expanded (\(path)).", param: "expand")
    }
    guard !paths.isEmpty, case .object(var members) = answer else { return answer }
    if paths.contains("data.payment_method"), case .list(let elements)? = members["data"] {
      members["data"] = .list(elements.map(withMethod))
      return .object(members)
    }
    return withMethod(answer)
  }

  private func withMethod(_ payment: JSON) -> JSON {
    guard case .object(var members) = payment, case .text(let id)? = members["payment_method"],
      let method = methods[id]
    else { return payment }
    members["payment_method"] = method.json(isLive: isLive)
    return .object(members)
  }
}
