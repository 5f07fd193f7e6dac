/// What the program was told on its command line.
struct ShopArguments {
  static let help = """
    Shows a shop that is a web page in a window, and sells from it through window.onside.

    usage: onside-shop [PAGE] [--storekit FILE] [--storage FOLDER] [--picture FILE]

      PAGE              a folder with an index.html, or an address (default: Examples/WebShop)
      --storekit FILE   sells from a .storekit file on this device; otherwise from the store that ONSIDE_STORE_URL and
                        ONSIDE_APP_ID name
      --storage FOLDER  where purchases and the login are kept
      --picture FILE    buys something by itself, writes a picture of the shop afterwards (PNG), and ends

    """

  private(set) var page = "Examples/WebShop"
  private(set) var storeKitFile: String?
  private(set) var storageFolder: String?
  private(set) var picture: String?
  private(set) var wantsHelp = false

  init(_ arguments: [String]) throws(ShopError) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--help", "-h": wantsHelp = true
      case "--storekit": storeKitFile = try Self.value(of: argument, in: &rest)
      case "--storage": storageFolder = try Self.value(of: argument, in: &rest)
      case "--picture": picture = try Self.value(of: argument, in: &rest)
      case _ where argument.hasPrefix("-"): throw ShopError("there is no option \(argument)\n\n\(Self.help)")
      default: page = argument
      }
    }
  }

  private static func value(of option: String, in rest: inout ArraySlice<String>) throws(ShopError) -> String {
    guard let value = rest.popFirst(), !value.hasPrefix("--") else {
      throw ShopError("expected a value after \(option)")
    }
    return value
  }
}
