import Foundation
import GRDB
import StoreTestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct OutboxCommandTests {
  @Test("Doctor names deliveries that failed for a day; outbox lists them and makes them due again")
  func retry() async throws {
    let onside = try Program()
    let status = try await onside.run("app", "add", "io.example.a").status
    #expect(status == 0)
    let output = try await onside.run("outbox", "list").output
    #expect(output == "Nothing waits to be delivered.\n")
    let queue = try DatabaseQueue(path: onside.folder.file("onside.sqlite"))
    try await queue.write { database in
      try database.execute(
        sql: """
          INSERT INTO outbox(id, kind, payload, due_at, attempts, failing_since, error)
          VALUES (7, 'payment.refund', '{"orderID":"order-1"}', 0, 30, 0, 'NoAnswer')
          """)
    }
    let doctor = try await onside.run("doctor")
    #expect(doctor.status == 1)
    let finding = "FAIL  outbox: deliveries that have failed for a day: payment.refund (1)"
    #expect(doctor.output.contains(finding), "\(doctor.output)")
    #expect(doctor.output.contains("onside outbox retry --all"))
    let list = try await onside.run("outbox", "list").output
    #expect(
      list.contains(/7 +payment\.refund +order-1 +failing +30 +1970-01-01T00:00:00Z +1970-01-01T00:00:00Z +NoAnswer/),
      "\(list)")
    let wrong = try await onside.run("outbox", "retry", "7", "8")
    #expect(wrong.status == 1 && wrong.errors.contains("expected the number of a delivery, got 8"))
    let secondOutput = try await onside.run("outbox", "list").output
    #expect(secondOutput == list)
    let secondStatus = try await onside.run("outbox", "retry").status
    #expect(secondStatus == 64)
    let thirdOutput = try await onside.run("outbox", "retry", "--all").output
    #expect(thirdOutput == "1 delivery is due now.\n")
    let fourthOutput = try await onside.run("outbox", "list").output
    #expect(fourthOutput.contains(/payment\.refund +order-1 +failing +30 +20[0-9]{2}-/))
    let fifthOutput = try await onside.run("doctor").output
    #expect(fifthOutput.contains(finding), "a retry that has not been delivered silences nothing")
  }

  @Test("Doctor names kinds of deliveries that this program does not know")
  func unknownKind() async throws {
    let onside = try Program()
    let status = try await onside.run("app", "add", "io.example.a").status
    #expect(status == 0)
    let queue = try DatabaseQueue(path: onside.folder.file("onside.sqlite"))
    try await queue.write {
      try $0.execute(sql: "INSERT INTO outbox(kind, payload, due_at, attempts) VALUES ('webhook.v9', '', 0, 0)")
    }
    let doctor = try await onside.run("doctor")
    #expect(doctor.status == 1 && doctor.output.contains("this program cannot deliver webhook.v9"))
  }
}
