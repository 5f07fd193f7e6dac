import Foundation
import Testing

@testable import OnsideKit

@MainActor
@Suite(
  "window.onside in a JavaScript engine", .timeLimit(.minutes(5)), .enabled(if: NodePage.node != nil, "needs node"))
struct NodeBridgeTests {
  @Test(
    "JSB-1: a page loads, logs in, buys, is told, and finishes, whichever script is first",
    arguments: [false, true])
  func wholeWay(relayFirst: Bool) async throws {
    let rig = try BridgeRig()
    let page = try NodePage(rig.bridge.makeView(), relayFirst: relayFirst)
    let heard = try await page.run(
      """
      const { onside } = window, heard = [];
      await onside.initializeOnside('v1');
      onside.onStorefrontChanged = (storefront) => heard.push(storefront.countryCode);
      heard.push(await onside.getCurrentStorefront());
      const { products } = await onside.loadProducts({ productIdentifiers: ['\(LocalFile.coins)'] });
      heard.push(products[0].price.value);
      const paid = new Promise((resolve) => {
        onside.onTransactionsUpdated = (all) => all.forEach((one) => {
          heard.push(one.transactionState);
          if (one.transactionState === 'purchased') resolve(one);
        });
      });
      await onside.purchase({ productIdentifier: products[0].productIdentifier, appAccountToken: 'u\\u20281' });
      const bought = await paid;
      heard.push(bought.payment.appAccountToken, (await onside.getTransactions()).length);
      const removed = new Promise((resolve) => { onside.onTransactionsRemoved = resolve; });
      await onside.finishTransaction(bought.id);
      heard.push((await removed)[0].id === bought.id, (await onside.getTransactions()).length);
      return heard;
      """)
    #expect(heard == "[null,0.99,\"NL\",\"purchasing\",\"purchased\",\"u\u{2028}1\",1,true,0]")
    await rig.client.close()
  }
}
