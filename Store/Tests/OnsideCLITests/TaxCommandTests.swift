import Foundation
import OnsideStore
import StoreTestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct TaxCommandTests {
  private let onside: Program

  init() throws { onside = try Program() }

  @Test("Tax rates are imported from a file or those of the European Union, and listed; doctor counts the countries")
  func importAndList() async throws {
    let status = try await onside.run("app", "add", "io.example.lumen").status
    try #require(status == 0)
    let output = try await onside.run("tax", "list").output
    #expect(output == "There are no tax rates: sales are booked without tax.\n")
    let own = "country,basis_points,valid_from,source\nJP,1000,2019-10-01,\"Consumption Tax Act, 2019\"\n"
    try onside.folder.write("rates.csv", text: own)
    let secondOutput = try await onside.run("tax", "import", "rates.csv").output
    #expect(secondOutput == "1 rate of 1 country added.\n")
    let thirdOutput = try await onside.run("tax", "list").output
    #expect(
      thirdOutput == """
        COUNTRY  RATE  FROM        TIME ZONE  SOURCE
        JP       10 %  2019-10-01  UTC        Consumption Tax Act, 2019

        """)
    let eu = try await onside.run("tax", "import", "--eu")
    #expect(eu.output == "31 rates of 27 countries added.\n", "\(eu)")
    let list = try await onside.run("tax", "list").output
    #expect(list.contains("FI       25.5 %  2024-09-01  Europe/Helsinki") && list.contains("JP       10 %"))
    let fourthOutput = try await onside.run("doctor").output
    #expect(fourthOutput.contains("ok    tax: rates of 28 countries"))
  }

  @Test("A file without rates, of another kind or that is not there is an error, and imports nothing")
  func wrong() async throws {
    let status = try await onside.run("app", "add", "io.example.lumen").status
    try #require(status == 0)
    try onside.folder.write(
      "rates.csv", text: "country,basis_points,valid_from,source\nNL,2100,2012-10-01,s\nNL,x,y,z\n")
    try onside.folder.write("rates.json", text: #"{"rates": [{"country": "NL"}]}"#)
    for arguments in [["rates.csv"], ["rates.json"], ["none.csv"], ["rates.txt"], [], ["rates.csv", "--eu"]] {
      let outcome = try await onside.run(["tax", "import"] + arguments)
      #expect(outcome.status == 1 && !outcome.errors.isEmpty && outcome.output.isEmpty, "\(arguments)")
    }
    let output = try await onside.run("tax", "list").output
    #expect(output.hasPrefix("There are no tax rates"))
  }
}
