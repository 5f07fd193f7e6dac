import Foundation
import Logging
import OnsideCommerce
import OnsideKit
import OnsideTestKit
import OnsideVerify
import OnsideWallet
import Stellar

#if !WITHOUT_WEBKIT
  import OnsideWebKitGTK
#endif

// What the samples of the README, the documentation and the doc comments leave to the app. `script/check-samples`
// makes a function of `App` from each sample, and type-checks it; nothing here ever runs.

@MainActor
final class App: OnsideProductsRequestDelegate, OnsideSignedInAppsHistoryRequestDelegate {
  var request: AnyObject?
  var address = ""
  var hasUser = false
  var failure = ""

  func onsideProductsRequest(_ request: any OnsideProductsRequest, didReceive response: OnsideProductsResponse) {}
  func onsideSignedInAppsHistoryRequest(
    _ request: any OnsideSignedInAppsHistoryRequest, didReceive history: OnsideSignedInAppsHistory
  ) {}
  func onsideSignedInAppsHistoryRequest(
    _ request: any OnsideSignedInAppsHistoryRequest, didFailWithError error: OnsideSignedInAppsHistoryRequestError
  ) {}
}

// What the samples name. The app makes it before.

private func declared<Value>() -> Value { fatalError("only type-checked") }

@MainActor let delegate: any OnsideDelegate = declared()
@MainActor let shop: Shop = declared()
@MainActor let queue = Onside.defaultPaymentQueue()
let product: OnsideProduct = declared()

let configuration: StoreKitConfiguration = declared()
let dependencies: Dependencies = declared()
let folder: URL = declared()
let file: URL = declared()
let clock: any Clock = declared()
let random: any Randomness = declared()
let user: any ScreenPresenter = declared()
let pinnedKeys: URL = declared()
let jws: String = declared()
let customer: String = declared()
let subject: String = declared()
let verifier: OnsideVerifier = declared()
let logger: Logger = declared()

@MainActor let session = OnsideTestSession()
@MainActor let phone = session.device()
@MainActor let saved = SavedGame()

#if !WITHOUT_WEBKIT
  @MainActor let window: OnsideWebWindow = declared()
  let page: URL = declared()
#endif

let data: URL = declared()
let state: URL = declared()
let place: DeviceSecretPlace = declared()
let store: URL = declared()
let service: AuthService = declared()
let authService = service
let pair: SigningKeyPair = declared()
let pin: PIN = declared()

// What the samples call, and its types.

func deliver(_ transaction: OnsidePaymentTransaction) {}
func takeBack(_ transaction: OnsidePaymentTransaction) {}
func remember(_ subject: String, for customer: String) {}
func grant(_ purchase: InAppPurchase) {}
func takeBack(_ purchase: InAppPurchase) {}
func ownsAccount(_ customer: String) -> Bool { declared() }
func download(_ address: String) async throws -> Data { declared() }
func unlock(_ products: Set<String>) {}
func say(_ text: String) {}
func ask(_ question: String) async -> Bool { true }

protocol Clock: Sendable {
  var now: Date { get }
  func sleep(_ seconds: Double) async throws
  func advance(_ seconds: Double)
}

protocol Randomness: Sendable {
  func bytes(_ count: Int) -> [UInt8]
}

typealias Shop = ReadmeSample.Shop

final class SavedGame {}

@MainActor
final class Game {
  init(_ saved: SavedGame) {}
}
