import Foundation
import LoadLoop

/// Requests to play against a server, made beforehand.
struct Load: Sendable {
  /// One request.
  struct Request: Sendable {
    var bytes: [UInt8]
    /// Which table of latencies it counts in.
    var kind = 0
    /// The HTTP status that it must be answered with.
    var status = 200
  }

  /// The result of a load.
  struct Report: Sendable {
    var answers: Int
    var seconds: Double
    /// Processor time of the thread that played.
    var cpuSeconds: Double
    /// By kind.
    var latencies: [Latencies]
    /// Sequences that were answered to their end, that were refused, and that found no connection free.
    var completed: Int
    var refused: Int
    var dropped: Int

    /// The latencies of refusals.
    var refusals: Latencies { latencies[Int(LOAD_REFUSED)] }
    var perSecond: Double { Double(answers) / seconds }
  }

  /// Each is played in order on one connection.
  var sequences: [[Request]]
  /// Above 0: they are repeated for this long; else played once.
  var seconds = 0.0
  /// Above 0: so many begin each second, for `seconds`, however long the earlier ones take; and an answer of 503 is no
  /// failure, but ends its sequence.
  var rate = 0.0

  /// Plays it over connections to 127.0.0.1, on a thread of its own.
  func run(port: UInt16, connections: Int) async throws -> Report {
    try await withCheckedThrowingContinuation { continuation in
      Thread { continuation.resume(with: Result { try play(port: port, connections: connections) }) }.start()
    }
  }

  private func play(port: UInt16, connections: Int) throws -> Report {
    let requests = FlatRequests(sequences.joined())
    let tables = LatencyTables()
    var plan = load_plan()
    plan.port = port
    plan.connections = UInt32(connections)
    plan.requests = UnsafePointer(requests.pointer)
    plan.sequence_length = UInt32(sequences.first?.count ?? 0)
    plan.sequences = UInt32(sequences.count)
    plan.seconds = seconds
    plan.rate = rate
    plan.refusal = rate > 0 ? 503 : 0
    var result = load_result()
    tables.attach(to: &result)
    let error = load_run(&plan, &result)
    guard error == 0 else {
      throw BenchFailure("the connections to the server broke: \(String(cString: strerror(error)))")
    }
    guard result.failures == 0 else {
      let text = withUnsafeBytes(of: result.first_failure) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      throw BenchFailure("\(result.failures) answers had another status than expected; the first one:\n\(text)")
    }
    return Report(
      answers: Int(result.answers), seconds: result.elapsed_seconds, cpuSeconds: result.cpu_seconds,
      latencies: tables.latencies, completed: Int(result.completed), refused: Int(result.refused),
      dropped: Int(result.dropped))
  }
}

/// Requests one after the other in memory, as the loop reads them.
final class FlatRequests {
  let pointer: UnsafeMutablePointer<load_request>
  private let bytes: UnsafeMutablePointer<UInt8>

  init(_ requests: some Sequence<Load.Request>) {
    let requests = Array(requests)
    pointer = .allocate(capacity: requests.count)
    bytes = .allocate(capacity: requests.reduce(0) { $0 + $1.bytes.count })
    var place = bytes
    for (index, request) in requests.enumerated() {
      place.update(from: request.bytes, count: request.bytes.count)
      pointer[index] = load_request(
        bytes: place, length: UInt32(request.bytes.count), kind: UInt16(request.kind), status: UInt16(request.status))
      place += request.bytes.count
    }
  }

  deinit {
    pointer.deallocate()
    bytes.deallocate()
  }
}

/// The loop's tables of latencies, one for each kind of request.
private final class LatencyTables {
  private let kinds = Int(LOAD_KINDS)
  private let buckets = Int(LOAD_BUCKETS)
  private let numbers: UnsafeMutablePointer<UInt32>

  init() {
    numbers = .allocate(capacity: kinds * buckets)
    numbers.initialize(repeating: 0, count: kinds * buckets)
  }

  deinit { numbers.deallocate() }

  func attach(to result: inout load_result) {
    result.latencies = (numbers, numbers + buckets, numbers + 2 * buckets, numbers + 3 * buckets)
  }

  var latencies: [Latencies] {
    (0..<kinds).map { Latencies(Array(UnsafeBufferPointer(start: numbers + $0 * buckets, count: buckets))) }
  }
}
