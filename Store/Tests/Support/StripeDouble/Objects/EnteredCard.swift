/// What a person enters of a test card on a page, as Stripe's script sends it.
public enum EnteredCard {
  /// The parameters of a card that is valid until the end of 2034.
  public static func parameters(_ number: String) -> [(name: String, value: String)] {
    [
      ("payment_method_data[type]", "card"), ("payment_method_data[card][cvc]", "123"),
      ("payment_method_data[card][exp_month]", "12"), ("payment_method_data[card][exp_year]", "2034"),
      ("payment_method_data[card][number]", number),
    ]
  }
}
