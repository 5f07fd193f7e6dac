extension String {
  /// The text with the marks that keep its direction apart from the text around it (Unicode bidirectional algorithm).
  package var isolated: String { "\u{2068}\(self)\u{2069}" }
}
