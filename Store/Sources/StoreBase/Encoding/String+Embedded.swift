extension String {
  /// The text of a file in `Resources`, without the newline that editors put at its end.
  package init(embedded file: [UInt8]) {
    self.init(decoding: file.last == UInt8(ascii: "\n") ? file.dropLast() : file[...], as: UTF8.self)
  }
}
