/// What the program was told on its command line.
struct ShopArguments {
  static let help = """
    Shows a shop that is a web page in a window, and sells from it through window.onside.

    usage: onside-shop [PAGE] [--storekit FILE] [--storage FOLDER] [--picture FILE]
           onside-shop [PAGE] --storage FOLDER --callback-scheme SCHEME [--register | --log-in | ADDRESS]

      PAGE              a folder with an index.html, or an address (default: Examples/WebShop)
      --storekit FILE   sells from a .storekit file on this device; otherwise from the store that ONSIDE_STORE_URL and
                        ONSIDE_APP_ID name
      --storage FOLDER  where purchases and the login are kept
      --picture FILE    buys something by itself, writes a picture of the shop afterwards (PNG), and ends
      --callback-scheme SCHEME
                        logs in through the store's own app, where there is one; ADDRESS is what comes back from it, and
                        goes to the shop that is open
      --register        writes a desktop file, so that the desktop opens such addresses with this shop
      --log-in          logs in by itself in place of buying, with --picture

    """

  private(set) var page = "Examples/WebShop"
  private(set) var storeKitFile: String?
  private(set) var storageFolder: String?
  private(set) var picture: String?
  private(set) var callbackScheme: String?
  /// What came back from the store's app.
  private(set) var address: String?
  private(set) var registers = false
  private(set) var logsIn = false
  private(set) var wantsHelp = false

  init(_ arguments: [String]) throws(ShopError) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--help", "-h": wantsHelp = true
      case "--storekit": storeKitFile = try Self.value(of: argument, in: &rest)
      case "--storage": storageFolder = try Self.value(of: argument, in: &rest)
      case "--callback-scheme": callbackScheme = try Self.value(of: argument, in: &rest)
      case "--register": registers = true
      case "--log-in": logsIn = true
      case "--picture": picture = try Self.value(of: argument, in: &rest)
      case _ where argument.hasPrefix("-"): throw ShopError("there is no option \(argument)\n\n\(Self.help)")
      case _ where callbackScheme.map { argument.lowercased().hasPrefix($0.lowercased() + ":") } ?? false:
        address = argument
      default: page = argument
      }
    }
    guard callbackScheme == nil || storageFolder != nil else {
      throw ShopError("expected --storage FOLDER beside --callback-scheme: it is how the shop that is open is found")
    }
  }

  private static func value(of option: String, in rest: inout ArraySlice<String>) throws(ShopError) -> String {
    guard let value = rest.popFirst(), !value.hasPrefix("--") else {
      throw ShopError("expected a value after \(option)")
    }
    return value
  }
}
