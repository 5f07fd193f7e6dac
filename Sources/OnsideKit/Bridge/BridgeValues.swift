import Foundation
import OnsideCommerce

// The published values as pages see them (contract, section 3.4). `BridgeType` describes them for TypeScript.

extension OnsideStorefront: JSONWritable {
  func write(to json: inout JSONWriter) {
    json.object {
      $0.field("id", id)
      $0.field("countryCode", countryCode)
    }
  }
}

extension OnsidePrice: JSONWritable {
  func write(to json: inout JSONWriter) {
    json.object {
      $0.field("value", JSONText(verbatim: money.amount))
      $0.field("currencyCode", currencyCode)
      $0.field("formatted", formatted)
    }
  }
}

extension OnsidePeriod: JSONWritable {
  func write(to json: inout JSONWriter) {
    let (unit, count) =
      switch self {
      case .day(let count): ("day", count)
      case .week(let count): ("week", count)
      case .month(let count): ("month", count)
      case .year(let count): ("year", count)
      }
    json.object {
      $0.field("unit", unit)
      $0.field("numberOfUnits", count)
    }
  }
}

extension OnsidePricePeriod: JSONWritable {
  func write(to json: inout JSONWriter) {
    json.object {
      $0.field("price", price)
      $0.field("period", period)
      $0.field("paymentMode", paymentMode.rawValue)
      $0.field("numberOfPeriods", numberOfPeriods)
    }
  }
}

extension OnsideProduct: JSONWritable {
  func write(to json: inout JSONWriter) {
    json.object {
      $0.field("productIdentifier", productIdentifier)
      $0.field("localizedTitle", localizedTitle)
      $0.field("localizedDescription", localizedDescription)
      $0.field("iconUrl", iconUrl?.absoluteString)
      $0.field("subscriptionGroupIdentifier", subscriptionGroupIdentifier)
      $0.field("subscriptionPeriod", subscriptionPeriod)
      $0.field("price", price)
      $0.field("introductoryPrice", introductoryPrice)
      $0.field("discountedPrice", discountedPrice)
      $0.field("productType", productType.rawValue)
    }
  }
}

extension OnsideProductsResponse: JSONWritable {
  func write(to json: inout JSONWriter) {
    json.object {
      $0.field("products", products)
      $0.field("invalidProductIdentifiers", invalidProductIdentifiers)
    }
  }
}

extension OnsidePayment: JSONWritable {
  func write(to json: inout JSONWriter) {
    json.object {
      $0.field("product", product)
      $0.field("appAccountToken", appAccountToken)
    }
  }
}

extension OnsidePaymentTransactionError: JSONWritable {
  func write(to json: inout JSONWriter) {
    switch self {
    case .cancelled: json.verbatim(#"{"cancelled":{}}"#)
    case .presentationFailed: json.verbatim(#"{"presentationFailed":{}}"#)
    }
  }
}

extension OnsidePaymentTransaction: JSONWritable {
  func write(to json: inout JSONWriter) {
    json.object {
      $0.field("id", id)
      $0.field("transactionIdentifier", transactionIdentifier)
      $0.field("originalTransactionIdentifier", originalTransactionIdentifier)
      $0.field("payment", payment)
      $0.field("transactionState", transactionState.rawValue)
      $0.field("storefront", storefront)
      $0.field("error", error)
      $0.field("deliveryReason", deliveryReason.rawValue)
      $0.field("purchaseDate", purchaseDate.map(RFC3339.text))
      $0.field("expirationDate", expirationDate.map(RFC3339.text))
      $0.field("revocationDate", revocationDate.map(RFC3339.text))
      $0.field("signedPurchase", signedPurchase)
    }
  }
}

extension OnsideAttributionMetadata: JSONWritable {
  func write(to json: inout JSONWriter) {
    json.object { $0.field("refererUrl", refererUrl?.absoluteString) }
  }
}

extension OnsideSignedInAppsHistory: JSONWritable {
  func write(to json: inout JSONWriter) {
    json.object {
      $0.field("dataBase64", data.base64EncodedString())
      $0.field("string", string)
    }
  }
}
