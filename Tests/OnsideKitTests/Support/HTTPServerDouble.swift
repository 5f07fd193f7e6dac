import Foundation
import OnsideAPI
import Synchronization

@testable import OnsideKit

/// A small HTTP server on 127.0.0.1, to say anything to a client: right answers, wrong ones, or none.
final class HTTPServerDouble: Sendable {
  struct Request: Sendable {
    var method: String
    var path: String
    var query: [String: [String]]
    var headers: [String: String]
    var body: String

    /// The fields of a form.
    var form: [String: String] {
      let items = URLComponents(string: "?" + body)?.queryItems ?? []
      return Dictionary(items.map { ($0.name, $0.value ?? "") }, uniquingKeysWith: { first, _ in first })
    }

    var bearer: String? {
      headers["authorization"].flatMap { $0.hasPrefix("Bearer ") ? String($0.dropFirst(7)) : nil }
    }
  }

  enum Answer: Sendable {
    /// As a store answers.
    case json(Int, String)
    /// As a proxy or a captive portal answers, with a content type.
    case foreign(Int, String, String = "application/json")
    case redirect(String)
    /// The request arrives; the connection is closed without an answer.
    case none
    /// No answer, and the connection stays open.
    case silence
  }

  let url: URL
  private let recorder = Recorder()
  private let serving: Task<Void, Never>

  /// Serves until it is released.
  init(_ answer: @escaping @Sendable (Request) async -> Answer) throws {
    let socket = try PlatformSocket.listening()
    guard let url = URL(string: "http://127.0.0.1:\(socket.port)") else { throw CancellationError() }
    self.url = url
    serving = Task { [recorder] in
      await withDiscardingTaskGroup { group in
        while let connection = await socket.accept() {
          group.addTask { await Self.serve(connection, recorder: recorder, answer) }
        }
      }
    }
  }

  deinit { serving.cancel() }

  /// What has arrived, in order.
  var requests: [Request] { recorder.all }

  /// The requests for a path.
  func requests(_ path: String) -> [Request] { requests.filter { $0.path == path } }

  private final class Recorder: Sendable {
    private let log = Mutex<[Request]>([])
    var all: [Request] { log.withLock { $0 } }
    func add(_ request: Request) { log.withLock { $0.append(request) } }
  }

  private static func serve(
    _ connection: PlatformSocket, recorder: Recorder, _ answer: @Sendable (Request) async -> Answer
  ) async {
    guard let request = await read(connection) else { return }
    recorder.add(request)
    switch await answer(request) {
    case .json(let status, let body):
      await connection.write(
        response("\(status) Status", header: "Content-Type: application/json\r\n\(WireHeader.store): 1", body: body))
    case .foreign(let status, let body, let type):
      await connection.write(response("\(status) Status", header: "Content-Type: \(type)", body: body))
    case .redirect(let address):
      await connection.write(response("302 Found", header: "Location: \(address)", body: ""))
    case .none: break
    case .silence: _ = await connection.read(upTo: 1)
    }
    connection.finishWriting()
  }

  private static func response(_ status: String, header: String, body: String) -> [UInt8] {
    Array(
      "HTTP/1.1 \(status)\r\n\(header)\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)".utf8)
  }

  private static func read(_ connection: PlatformSocket) async -> Request? {
    var bytes: [UInt8] = []
    while true {
      if let request = parse(String(decoding: bytes, as: UTF8.self)) { return request }
      let more = await connection.read(upTo: 65_536)
      if more.isEmpty { return nil }
      bytes += more
    }
  }

  private static func parse(_ text: String) -> Request? {
    guard let end = text.range(of: "\r\n\r\n") else { return nil }
    let lines = text[..<end.lowerBound].components(separatedBy: "\r\n")
    let start = lines[0].split(separator: " ").map(String.init)
    let headers = Dictionary(
      lines.dropFirst().compactMap { line -> (String, String)? in
        guard let colon = line.firstIndex(of: ":") else { return nil }
        return (line[..<colon].lowercased(), line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces))
      }, uniquingKeysWith: { first, _ in first })
    let body = String(text[end.upperBound...])
    guard start.count == 3, body.utf8.count >= Int(headers["content-length"] ?? "0") ?? 0,
      let target = URLComponents(string: start[1])
    else { return nil }
    let query = Dictionary(grouping: target.queryItems ?? [], by: \.name).mapValues { $0.compactMap(\.value) }
    return Request(method: start[0], path: target.path, query: query, headers: headers, body: body)
  }
}
