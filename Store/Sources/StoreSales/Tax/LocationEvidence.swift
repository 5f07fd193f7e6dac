package import OnsideCommerce

/// What tells in which country a buyer is, for the tax of a sale. European rules (Implementing Regulation 282/2011,
/// article 24b) ask for two pieces that agree. The account's region is no piece: its owner chooses it with a click.
package struct LocationEvidence: Sendable, Hashable {
  /// The country of the account's phone number.
  package var number: CountryCode?
  /// The country of the card's bank, where the payment provider tells it.
  package var card: CountryCode?
  /// The country of the network that the payment was made from, where the operator's proxy tells it.
  package var network: CountryCode?

  /// Whether fewer than two pieces agree with the country that the sale is taxed in.
  package func isWeak(for country: CountryCode) -> Bool {
    [number, card, network].count(where: { $0 == country }) < 2
  }
}
