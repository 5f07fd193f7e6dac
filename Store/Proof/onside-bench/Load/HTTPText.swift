import OnsideAPI

/// HTTP/1.1 requests as bytes.
enum HTTPText {
  static func get(_ target: String, headers: [String]) -> [UInt8] {
    bytes("GET", target: target, headers: headers, body: nil)
  }

  static func post(_ target: String, headers: [String], body: [UInt8] = []) -> [UInt8] {
    bytes("POST", target: target, headers: headers, body: body)
  }

  private static func bytes(_ method: String, target: String, headers: [String], body: [UInt8]?) -> [UInt8] {
    var head = "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    for header in headers { head += header + "\r\n" }
    if let body {
      if !body.isEmpty { head += "Content-Type: application/json\r\n" }
      head += "Content-Length: \(body.count)\r\n"
    }
    return Array((head + "\r\n").utf8) + (body ?? [])
  }
}
