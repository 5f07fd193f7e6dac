import Foundation
import OnsideAPI
import OnsideCommerce
import OnsideStore
import StoreSales
import StoreTestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct KillTests {
  private let onside: Program

  init() throws { onside = try Program() }

  private func newID() -> OrderID { OrderID(UUID()) }

  /// Every order once, every paid one with one sale in the ledger, the books balanced, a file whole.
  private func check(_ shop: Shop, on engine: TestEngine, orders: Set<OrderID>, paid: Set<OrderID>) async throws {
    let books = try await shop.books()
    #expect(books.orders.map(\.id).sorted() == orders.map(\.description).sorted())
    #expect(Set(books.orders.filter { $0.state == "paid" }.map(\.id)) == Set(paid.map(\.description)))
    #expect(books.sales == Dictionary(uniqueKeysWithValues: paid.map { ($0.description, 1) }))
    #expect(books.faults == [])
    #expect(books.integrity == (engine == .sqlite ? "ok" : nil))
  }

  @Test(
    "STO-2: an acknowledged order, payment and finish survive kill -9 at any checkpoint, and nothing is doubled",
    arguments: [
      "order.beforeCommit", "order.afterCommit", "payment.beforeCommit", "payment.afterCommit",
      "finish.beforeCommit", "finish.afterCommit",
    ], TestEngine.allCases)
  func checkpoints(checkpoint: String, engine: TestEngine) async throws {
    let (shop, environment) = try await Shop.make(on: engine, in: onside.folder)
    let (finished, bought, open, late) = (newID(), newID(), newID(), newID())
    let (first, client) = try await onside.serve(shop, environment: environment)
    for id in [finished, bought, open] { _ = try await client.order(id) }
    for id in [finished, bought] { try await client.pay(id) }
    try await client.finish(finished)
    first.send(SIGKILL)
    await first.ended()

    let (second, dying) = try await onside.serve(shop, environment: environment, killAt: checkpoint)
    let steps: [@Sendable () async throws -> Void] = [
      { try await dying.finish(bought) }, { try await dying.pay(open) }, { _ = try await dying.order(late) },
    ]
    var acknowledged = 0
    for step in steps {
      do { try await step() } catch { break }
      acknowledged += 1
    }
    await second.ended()
    #expect(second.status == 128 + SIGKILL, "\(checkpoint) was not reached")

    let (third, living) = try await onside.serve(shop, environment: environment)
    if acknowledged > 0 { #expect(try await living.get(bought).finished) }
    if acknowledged > 1 {
      let state = try await living.get(open).state
      #expect(state == .paid)
    }
    #expect(try await living.get(finished).finished)
    try await living.finish(bought)
    let actualID = try await living.order(late).id
    #expect(actualID == late)
    try await NamedDeadline.wait(for: "a paid order", every: .milliseconds(50)) {
      guard try await living.get(open).state != .paid else { return true }
      try await living.pay(open)
      return false
    }
    await third.stopCleanly()
    try await check(shop, on: engine, orders: [finished, bought, open, late], paid: [finished, bought, open])
  }

  @Test(
    "STO-2: no order acknowledged under load is lost by kill -9, and repeating the others makes each once",
    arguments: TestEngine.allCases)
  func underLoad(engine: TestEngine) async throws {
    let (shop, environment) = try await Shop.make(on: engine, in: onside.folder)
    let ids = (0..<96).map { _ in newID() }
    var acknowledged: Set<OrderID> = []
    for enough in [8, 30, 60] {
      let (program, client) = try await onside.serve(shop, environment: environment)
      for id in acknowledged {
        let state = try await client.get(id).state
        #expect(state == .open)
      }
      acknowledged.formUnion(
        await order(ids.filter { !acknowledged.contains($0) }, with: client, until: enough, program: program))
      await program.ended()
    }
    let (last, client) = try await onside.serve(shop, environment: environment)
    for id in ids {
      let actualID = try await client.order(id).id
      #expect(actualID == id)
    }
    await last.stopCleanly()
    #expect(acknowledged.count >= 60)
    try await check(shop, on: engine, orders: Set(ids), paid: [])
  }

  /// Orders from eight sides at once and kills the store after so many answers; returns what was acknowledged.
  private func order(
    _ ids: [OrderID], with client: StoreClient, until enough: Int, program: ChildProgram
  ) async -> Set<OrderID> {
    await withTaskGroup(of: [OrderID].self) { group in
      let (answers, answered) = AsyncStream.makeStream(of: Void.self)
      for side in 0..<8 {
        group.addTask {
          var mine: [OrderID] = []
          for index in stride(from: side, to: ids.count, by: 8) {
            guard (try? await client.order(ids[index])) != nil else { break }
            mine.append(ids[index])
            answered.yield()
          }
          return mine
        }
      }
      group.addTask {
        var count = 0
        for await _ in answers {
          count += 1
          if count >= min(enough, ids.count) { break }
        }
        program.send(SIGKILL)
        return []
      }
      return await group.reduce(into: []) { $0.formUnion($1) }
    }
  }
}
