// Linux has no CFDictionary; a dictionary is close enough.
public typealias CFDictionary = [String: Any]
public typealias CFTypeRef = Any
public typealias OSStatus = Int32
public let errSecSuccess: OSStatus = 0, errSecItemNotFound: OSStatus = -25300
public let errSecInteractionNotAllowed: OSStatus = -25308
public let kSecReturnData = "", kSecMatchLimit = "", kSecMatchLimitOne = "", kSecValueData = "", kSecAttrAccessible = ""
public let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly = "", kSecClass = "", kSecClassGenericPassword = ""
public let kSecAttrService = "", kSecAttrAccount = "", kSecUseDataProtectionKeychain = ""
public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus { 0 }
public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus { 0 }
public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus { 0 }
public func SecItemDelete(_ query: CFDictionary) -> OSStatus { 0 }
