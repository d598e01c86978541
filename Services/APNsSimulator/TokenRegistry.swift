import Glibc
import SightscreenModels

/// The tokens that the simulator knows, each with its phone: about 170 bytes for a token of 160 digits.
///
/// Tokens are never removed: a deleted token is remembered, so that its index stays its own. The memory lies outside
/// Swift's arrays, because an array holds two copies while it grows.
final class TokenRegistry {
    struct Device {
        fileprivate var keyStart: UInt32
        fileprivate(set) var digits: UInt16
        var kind: PushTokenKind { phone.kind }
        fileprivate(set) var environment: APNsEnvironment
        /// The index in `matches`.
        fileprivate(set) var match: UInt32
        /// The index in `bundles`.
        fileprivate var bundle: UInt32
        private var deletedAt: Int64
        var phone: DeviceModel

        private static let alive = Int64.min

        /// When the token was deleted, in milliseconds since 1970; nil while it is valid.
        var deletedAtMs: Int64? {
            get { deletedAt == Self.alive ? nil : deletedAt }
            set { deletedAt = newValue ?? Self.alive }
        }

        fileprivate init(
            keyStart: UInt32, digits: UInt16, environment: APNsEnvironment, match: UInt32, bundle: UInt32,
            phone: DeviceModel
        ) {
            self.keyStart = keyStart
            self.digits = digits
            self.environment = environment
            self.match = match
            self.bundle = bundle
            self.phone = phone
            deletedAt = Self.alive
        }
    }

    /// A place of an open hash table: an index of `devices` in the lower half, and half of the key's hash.
    private struct Place {
        var index: UInt32
        var tag: UInt32
        static let empty = Self(index: .max, tag: 0)
    }

    private(set) var count = 0
    /// The matches that were named; the first entry stands for none.
    private(set) var matches: [Int?] = [nil]
    private var matchIndices: [Int: UInt32] = [:]
    /// The apps that were named; the first entry stands for the simulator's own.
    private var bundles: [String?] = [nil]
    private var devices = Memory<Device>()
    private var keys = Memory<UInt8>()
    private var keyBytes = 0
    private var places: Memory<Place>
    private var placeCount = 1_024

    init() {
        places = Memory()
        places.grow(to: placeCount)
        places.start.initialize(repeating: .empty, count: placeCount)
    }

    deinit {
        devices.free()
        keys.free()
        places.free()
    }

    /// Registers a token, or a deleted token again.
    func register(_ key: UnsafeRawBufferPointer, _ digits: Int, _ entry: TokenBatch.Entry) {
        let phone = DeviceModel(
            kind: entry.kind, shown: entry.timestamp.map(Stamp.init), takesFrequentPushes: entry.frequentPushes)
        let match = matchIndex(entry.match)
        let bundle = bundleIndex(entry.bundle)
        if let index = index(of: key, digits) {
            let known = devices.start[index]
            devices.start[index] = Device(
                keyStart: known.keyStart, digits: known.digits, environment: entry.environment, match: match,
                bundle: bundle, phone: phone)
            return
        }
        if (count + 1) * 2 > placeCount { growTable() }
        devices.grow(to: count + 1)
        keys.grow(to: keyBytes + key.count)
        if let bytes = key.baseAddress { memcpy(keys.start + keyBytes, bytes, key.count) }
        (devices.start + count).initialize(
            to: Device(
                keyStart: UInt32(keyBytes), digits: UInt16(digits), environment: entry.environment, match: match,
                bundle: bundle, phone: phone))
        insert(Place(index: UInt32(count), tag: tag(hash(key))), hash(key))
        keyBytes += key.count
        count += 1
    }

    /// The index of a token, from 0 in the order of registration.
    func index(of key: UnsafeRawBufferPointer, _ digits: Int) -> Int? {
        let hash = hash(key)
        let tag = tag(hash)
        var at = Int(truncatingIfNeeded: hash) & (placeCount - 1)
        while true {
            let place = places.start[at]
            if place.index == .max { return nil }
            if place.tag == tag {
                let device = devices.start + Int(place.index)
                if Int(device.pointee.digits) == digits,
                    key.equals(
                        UnsafeRawBufferPointer(start: keys.start + Int(device.pointee.keyStart), count: key.count))
                {
                    return Int(place.index)
                }
            }
            at = (at + 1) & (placeCount - 1)
        }
    }

    /// The device of a token; the pointer is valid until the next registration.
    func device(_ index: Int) -> UnsafeMutablePointer<Device> {
        precondition(index < count, "no such device")
        return devices.start + index
    }

    /// The bundle id of the app that the token is of; nil for the simulator's own.
    func bundle(_ index: Int) -> String? { bundles[Int(device(index).pointee.bundle)] }

    /// The token's digits in lower case.
    func text(_ index: Int) -> String {
        let device = device(index)
        let digits = Int(device.pointee.digits)
        return TokenKey.text(
            UnsafeRawBufferPointer(start: keys.start + Int(device.pointee.keyStart), count: (digits + 1) / 2),
            digits: digits)
    }

    // MARK: - The table

    private func matchIndex(_ match: Int?) -> UInt32 {
        guard let match else { return 0 }
        if let known = matchIndices[match] { return known }
        let index = UInt32(matches.count)
        matches.append(match)
        matchIndices[match] = index
        return index
    }

    /// Apps are few: they are looked through.
    private func bundleIndex(_ bundle: String?) -> UInt32 {
        if let known = bundles.firstIndex(of: bundle) { return UInt32(known) }
        bundles.append(bundle)
        return UInt32(bundles.count - 1)
    }

    private func hash(_ key: UnsafeRawBufferPointer) -> UInt64 {
        var hash: UInt64 = UInt64(key.count) &* 0x9e37_79b9_7f4a_7c15
        func mix(_ word: UInt64) {
            hash = (hash ^ word) &* 0xff51_afd7_ed55_8ccd
            hash ^= hash >> 32
        }
        var index = 0
        while index + 8 <= key.count {
            mix(key.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            index += 8
        }
        while index < key.count {
            mix(UInt64(key[index]))
            index += 1
        }
        return hash
    }

    private func tag(_ hash: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: hash >> 32) }

    private func insert(_ place: Place, _ hash: UInt64) {
        var at = Int(truncatingIfNeeded: hash) & (placeCount - 1)
        while places.start[at].index != .max { at = (at + 1) & (placeCount - 1) }
        places.start[at] = place
    }

    private func growTable() {
        placeCount *= 2
        places.free()
        places = Memory()
        places.grow(to: placeCount)
        places.start.initialize(repeating: .empty, count: placeCount)
        for index in 0..<count {
            let device = devices.start[index]
            let key = UnsafeRawBufferPointer(
                start: keys.start + Int(device.keyStart), count: (Int(device.digits) + 1) / 2)
            insert(Place(index: UInt32(index), tag: tag(hash(key))), hash(key))
        }
    }

    /// Memory of a trivial type, which `realloc` moves without copying when there is much of it.
    private struct Memory<Element> {
        private(set) var start = UnsafeMutablePointer<Element>.allocate(capacity: 0)
        private var capacity = 0
        private var isOurs = false

        mutating func grow(to needed: Int) {
            guard needed > capacity else { return }
            // The memory grows by a quarter, so that little of it is unused.
            capacity = max(needed, capacity + capacity / 4, 64)
            let moved = realloc(isOurs ? start : nil, capacity * MemoryLayout<Element>.stride)
            guard let moved else { fatalError("out of memory for tokens") }
            if !isOurs { start.deallocate() }
            isOurs = true
            start = moved.assumingMemoryBound(to: Element.self)
        }

        func free() {
            if isOurs { Glibc.free(start) } else { start.deallocate() }
        }
    }
}
