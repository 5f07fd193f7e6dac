import Foundation
import HTTPTypes
import HummingbirdTesting
import StoreTestSupport
import Testing
import Yams

@testable import OnsideStore

@Suite("The dashboard and the alert rules", .timeLimit(.minutes(5)))
struct MonitoringTests {
  /// Debian's promtool, which `script/setup` unpacks.
  private static let promtool = ChildServer.path(
    Repository.root.appending(path: ".build/prometheus/promtool").path(), "/usr/bin/promtool")

  private struct Dashboard: Decodable {
    struct Panel: Decodable {
      struct Target: Decodable { var expr: String }

      var title: String
      var targets: [Target]?
    }

    var panels: [Panel]
  }

  private struct Rules: Codable {
    struct Group: Codable {
      var name: String
      var rules: [Rule]
    }

    struct Rule: Codable {
      var alert: String?
      var record: String?
      var expr: String
      var labels: [String: String]?
      var annotations: [String: String]?
    }

    var groups: [Group]

    var all: [Rule] { groups.flatMap(\.rules) }
  }

  private func rules() throws -> Rules {
    try YAMLDecoder().decode(Rules.self, from: Repository.text("docs/monitoring/alerts.yml"))
  }

  private func dashboard() throws -> [String] {
    let text = try Repository.text("docs/monitoring/dashboard.json")
    let panels = try JSONDecoder().decode(Dashboard.self, from: Data(text.utf8)).panels
    return panels.flatMap { $0.targets ?? [] }.map(\.expr)
  }

  /// Every series of a store that has just started.
  private func series() async throws -> String {
    let store = try await TestStore()
    try await store.test { client in _ = try await client.execute(uri: "/metrics", method: .get) { $0 } }
    // `onside serve` makes it together with its log.
    let log = try Repository.text("Store/Sources/onside/ServeLog.swift")
    try #require(log.contains(#"Counter(label: "onside_log_lines_lost_total", dimensions: []"#))
    return store.metrics + "onside_log_lines_lost_total 0\n"
  }

  /// The metrics that a text names.
  private func names(_ text: String) -> Set<String> {
    Set(text.matches(of: /\bonside_[a-z_]+/).map { String($0.output) })
  }

  @Test("Each metric that the dashboard, the rules and the manual name exists, with each value that is asked for")
  func metricsExist() async throws {
    let series = try await series()
    let known = names(series)
    let expressions = try rules().all.map(\.expr) + dashboard()
    #expect(expressions.count > 60)
    for expression in expressions {
      #expect(!names(expression).isEmpty || expression.contains("up{"), "\(expression)")
      #expect(names(expression).isSubset(of: known), "\(expression)")
      for selector in expression.matches(of: /(onside_[a-z_]+)\{([^}]*)\}/) {
        for label in selector.output.2.matches(of: /\b(\w+)(?:=|!=|=~|!~)"([^"$]*)"/) where !label.output.2.isEmpty {
          for value in label.output.2.split(separator: "|") {
            let isThere = series.split(separator: "\n").contains {
              $0.hasPrefix(selector.output.1 + "{") && $0.contains("\(label.output.1)=\"\(value)\"")
            }
            #expect(isThere, "\(selector.output.1) has no series with \(label.output.1)=\(value)")
          }
        }
      }
    }
    let manual = try Repository.text("docs/monitoring.md")
    #expect(names(manual).isSubset(of: known), "\(names(manual).subtracting(known))")
    let suffixes = /_(bucket|sum|count)$/
    let metrics = Set(known.map { String($0.replacing(suffixes, with: "")) })
    #expect(metrics.subtracting(names(manual)).isEmpty, "not in the manual")
  }

  @Test("Each alert has a severity and a summary, and the manual says what it means")
  func alertsExplained() throws {
    let alerts = try rules().all
    let manual = try Repository.text("docs/monitoring.md")
    let sections = manual.components(separatedBy: "\n### ").dropFirst()
    #expect(sections.map { String($0.prefix { !$0.isNewline }) } == alerts.map { $0.alert ?? "no alert" })
    for section in sections { #expect(section.split(separator: "\n").count > 1, "\(section)") }
    for alert in alerts {
      #expect(["critical", "warning", "info"].contains(alert.labels?["severity"]), "\(alert.alert ?? "")")
      #expect(alert.annotations?["summary"]?.hasSuffix(".") == true, "\(alert.alert ?? "")")
    }
  }

  @Test("Prometheus accepts the rules", .enabled(if: MonitoringTests.promtool != nil, "needs promtool: script/setup"))
  func rulesAreValid() async throws {
    let folder = try TemporaryFolder()
    let path = Repository.root.appending(path: "docs/monitoring/alerts.yml").path()
    let count = try rules().all.count
    let outcome = try await check(path, in: folder)
    #expect(outcome.contains("SUCCESS: \(count) rules found"))
  }

  @Test(
    "Prometheus accepts the dashboard's queries",
    .enabled(if: MonitoringTests.promtool != nil, "needs promtool: script/setup"))
  func queriesAreValid() async throws {
    let folder = try TemporaryFolder()
    func verdict(_ queries: [String]) async throws -> String {
      let rules = queries.enumerated().map { number, query in
        Rules.Rule(record: "panel_\(number)", expr: query.replacing("$__rate_interval", with: "5m"))
      }
      let text = try YAMLEncoder().encode(Rules(groups: [.init(name: "dashboard", rules: rules)]))
      try folder.write("queries.yml", text: text)
      return try await check(folder.file("queries.yml"), in: folder)
    }
    let queries = try dashboard()
    let actualVerdict = try await verdict(queries)
    #expect(actualVerdict.contains("SUCCESS: \(queries.count) rules found"))
    let secondVerdict = try await verdict(queries + ["sum by (kind"])
    #expect(!secondVerdict.contains("SUCCESS"))
  }

  /// What promtool prints about a file of rules.
  private func check(_ path: String, in folder: TemporaryFolder) async throws -> String {
    let output = folder.file("promtool.\(UUID())")
    let child = try ChildServer(
      try #require(Self.promtool), arguments: ["check", "rules", path], output: output)
    try await child.end()
    return try String(contentsOfFile: output, encoding: .utf8) + child.errors
  }
}
