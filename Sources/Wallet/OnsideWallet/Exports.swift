// One import is enough for the published calls and what they speak of.
@_exported public import struct Stellar.AccountAddress
@_exported public import struct Stellar.Mnemonic
@_exported public import struct Stellar.Network
@_exported public import struct Stellar.SigningKeyPair
@_exported public import struct Stellar.StrKeyError
