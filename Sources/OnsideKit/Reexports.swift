// Types of OnsideCommerce in the public API of OnsideKit, which `import OnsideKit` makes available by name, and no
// others: an app that also imports StoreKit has `Product` from there.

@_exported public import struct OnsideCommerce.CountryCode
@_exported public import struct OnsideCommerce.Currency
@_exported public import struct OnsideCommerce.Money
@_exported public import enum OnsideCommerce.MoneyError
@_exported public import struct OnsideCommerce.OfferKind
@_exported public import struct OnsideCommerce.PaymentMode
@_exported public import struct OnsideCommerce.ProductKind
@_exported public import struct OnsideCommerce.RevocationReason
@_exported public import struct OnsideCommerce.StoreKitBrokenProduct
@_exported public import struct OnsideCommerce.StoreKitConfiguration
@_exported public import struct OnsideCommerce.StoreKitFailure
@_exported public import struct OnsideCommerce.StoreKitFileError
@_exported public import struct OnsideCommerce.StoreKitSettings
@_exported public import struct OnsideCommerce.TimeRate
@_exported public import struct OnsideCommerce.TransactionReason
