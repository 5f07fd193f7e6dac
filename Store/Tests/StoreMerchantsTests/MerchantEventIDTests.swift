import Testing

@testable import StoreMerchants

@Suite(.timeLimit(.minutes(5))) struct MerchantEventIDTests {
  @Test(
    "The id of an event is parsed as it is written, also with underscores in the epoch",
    arguments: [("Q1w2E3r4", 17), ("_a_", 1), ("a-b_7", Int64.max)])
  func written(epoch: String, number: Int64) {
    let id = MerchantEventID(epoch: epoch, number: number)
    #expect(id.text == "evt_\(epoch)_\(number)")
    #expect(MerchantEventID(id.text) == id)
  }

  @Test(
    "Another text is no id of an event",
    arguments: [
      "", "evt", "evt_", "evt__", "evt_a", "evt_a_", "evt__1", "evt_1", "a_1", "Evt_a_1", "evt_a_0", "evt_a_-1",
      "evt_a_+1", "evt_a_01", "evt_a_1.0", "evt_a_1 ", " evt_a_1", "evt_a_9223372036854775808", "evt_a_١",
    ])
  func malformed(text: String) {
    #expect(MerchantEventID(text) == nil)
  }
}
