import Foundation
import OnsideAPI
import StoreBase
import StoreSales
import Testing

@testable import StoreMerchants

@Suite(.timeLimit(.minutes(5))) struct FeedEventTests {
  private static func event(
    _ kind: EventObject.Kind, cause: String? = nil, token: String? = nil
  ) -> FeedEvent {
    FeedEvent(
      id: MerchantEventID(epoch: "a_b", number: 17), app: "com.example", kind: kind, object: "o-1", sequence: 3,
      type: "order.paid", cause: cause, subject: "s-1", appAccountToken: token,
      occurredAt: Date(timeIntervalSince1970: 1_800_000_600), createdAt: Date(timeIntervalSince1970: 1_800_000_000),
      data: #"{"price":499,"refunds":[]}"#)
  }

  @Test("An event of the feed has the bytes of its message", arguments: EventObject.Kind.allCases)
  func bytes(kind: EventObject.Kind) throws {
    for event in [Self.event(kind), Self.event(kind, cause: "operator", token: #"user "1""#)] {
      let page = FeedPage(events: [event], cursor: MerchantEventID(epoch: "a_b", number: 18), startsOver: true)
      let json = Data(page.json)
      let message = try WireCoding.decoder().decode(MerchantFeedMessage.self, from: json)
      let again = try WireCoding.encoder().encode(message)
      #expect(again == json)
      let data = try #require(message.events.first?.data)
      #expect(message.cursor == "evt_a_b_18" && message.startsOver)
      #expect(message.events.first?.id == "evt_a_b_17")
      #expect(data.object == kind.rawValue && data.objectID == "o-1" && data.sequence == 3 && data.number == 17)
      #expect(data.cause == event.cause && data.appAccountToken == event.appAccountToken)
      #expect(data.content == .object(["price": .integer(499), "refunds": .list([])]))
      #expect(data.occurredAt == event.occurredAt && message.events.first?.timestamp == event.createdAt)
    }
  }

  @Test("A page of an app without events has no cursor")
  func empty() throws {
    let json = String(decoding: FeedPage().json, as: UTF8.self)
    #expect(json == #"{"cursor":null,"events":[],"starts_over":false}"#)
  }
}
