extension String {
  /// The text for a terminal: control characters and the marks that change the direction of writing are escaped, so
  /// that a buyer's words cannot look like those of the program (Unicode Standard Annex 9, section 2).
  var printable: String {
    var text = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      if scalar.properties.generalCategory == .control || scalar.isDirectionMark {
        text.append(contentsOf: "\\u{\(String(scalar.value, radix: 16, uppercase: true))}".unicodeScalars)
      } else {
        text.append(scalar)
      }
    }
    return String(text)
  }
}

extension Unicode.Scalar {
  fileprivate var isDirectionMark: Bool {
    switch value {
    case 0x061C, 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
