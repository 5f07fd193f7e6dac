import Foundation
import Testing

@testable import OnsideKit

@Suite(.timeLimit(.minutes(5)))
struct AppToAppLoginMachineTests {
  let start = Date(timeIntervalSince1970: 1_800_000_000)

  /// A machine whose store app is open.
  func open() -> AppToAppLoginMachine {
    var machine = AppToAppLoginMachine()
    #expect(machine.handle(.asked(at: start)) == [.open])
    #expect(machine.handle(.opened(true)) == [])
    return machine
  }

  @Test("ACC-7: a store app that could not be opened after all fails the hand-over")
  func notOpened() {
    var machine = AppToAppLoginMachine()
    _ = machine.handle(.asked(at: start))
    #expect(machine.handle(.opened(false)) == [.fail])
  }

  @Test("ACC-10: asked for again, the store's app comes forward once more; calls at the same time are one wish")
  func askedAgain() {
    var machine = open()
    #expect(machine.handle(.asked(at: start.addingTimeInterval(1))) == [])
    #expect(machine.handle(.asked(at: start.addingTimeInterval(3))) == [.open])
    #expect(machine.handle(.opened(false)) == [])
  }

  @Test("ACC-10: the user who is back without an answer has given up, after a moment in which it may still come")
  func returned() {
    var machine = open()
    #expect(machine.handle(.returned) == [.wait(1)])
    #expect(machine.handle(.returned) == [.wait(2)])
    #expect(machine.handle(.waited(1)) == [])
    #expect(machine.handle(.waited(2)) == [.dismiss])
  }

  @Test("ACC-10: who is back and asks again has not given up")
  func returnedAndAsked() {
    var machine = open()
    _ = machine.handle(.returned)
    #expect(machine.handle(.asked(at: start.addingTimeInterval(5))) == [.open])
    #expect(machine.handle(.waited(1)) == [])
  }

  @Test("ACC-10: a store app that never answers ends the login when its time is over")
  func timeUp() {
    var machine = open()
    #expect(machine.handle(.timeUp) == [.dismiss])
  }
}
