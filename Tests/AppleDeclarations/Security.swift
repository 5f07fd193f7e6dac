// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The few symbols of Apple's Security and CoreFoundation that OnsideKit uses, as declared in Apple's documentation.

public import Foundation

public typealias CFString = NSString
public typealias CFDictionary = NSDictionary
public typealias CFTypeRef = AnyObject
public typealias OSStatus = Int32

public var kSecClass: CFString { "" }
public var kSecClassGenericPassword: CFString { "" }
public var kSecAttrService: CFString { "" }
public var kSecAttrAccount: CFString { "" }
public var kSecAttrAccessible: CFString { "" }
public var kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString { "" }
public var kSecUseDataProtectionKeychain: CFString { "" }
public var kSecReturnAttributes: CFString { "" }
public var kSecReturnData: CFString { "" }
public var kSecMatchLimit: CFString { "" }
public var kSecMatchLimitAll: CFString { "" }
public var kSecValueData: CFString { "" }

public let errSecSuccess: OSStatus = 0
public let errSecItemNotFound: OSStatus = -25300

public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus { 0 }
public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus { 0 }
public func SecItemDelete(_ query: CFDictionary) -> OSStatus { 0 }
