/// One numbered script that changes the schema. It is safe to run twice and is not edited once it has shipped.
public struct Migration: Sendable {
    /// The file's name without its suffix, for example "m0001_base".
    public let name: String
    public let sql: String

    init(_ name: String, _ bytes: [UInt8]) {
        self.name = name
        sql = String(decoding: bytes, as: UTF8.self)
    }

    /// The FNV-1a hash of the script, which shows that a script was edited after it had run.
    var checksum: Int64 {
        var value: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in sql.utf8 { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return Int64(bitPattern: value)
    }

    /// All migrations, in the order in which they run; one line for each file in `Migrations`.
    public static let all: [Migration] = [
        Migration("m0001_base", PackageResources.m0001_base_sql),
        Migration("m0002_expiry", PackageResources.m0002_expiry_sql),
        Migration("m0003_provider_calls", PackageResources.m0003_provider_calls_sql),
        Migration("m0004_holds", PackageResources.m0004_holds_sql),
        Migration("m0005_deleted_users", PackageResources.m0005_deleted_users_sql),
        Migration("m0006_activity_indexes", PackageResources.m0006_activity_indexes_sql),
        Migration("m0007_whole_life", PackageResources.m0007_whole_life_sql),
        Migration("m0008_capable_devices", PackageResources.m0008_capable_devices_sql),
        Migration("m0009_pending_in_order", PackageResources.m0009_pending_in_order_sql),
        Migration("m0010_change_mark", PackageResources.m0010_change_mark_sql),
        Migration("m0012_former_tokens", PackageResources.m0012_former_tokens_sql),
        Migration("m0013_alert_level_changes", PackageResources.m0013_alert_level_changes_sql),
        Migration("m0014_fanout", PackageResources.m0014_fanout_sql),
        Migration("m0015_urgent_ends", PackageResources.m0015_urgent_ends_sql),
        Migration("m0016_laggards", PackageResources.m0016_laggards_sql),
        Migration("m0017_asked_leases", PackageResources.m0017_asked_leases_sql),
        Migration("m0018_phase", PackageResources.m0018_phase_sql),
        Migration("m0021_reconcile", PackageResources.m0021_reconcile_sql),
        Migration("m0022_reconcile_indexes", PackageResources.m0022_reconcile_indexes_sql),
        Migration("m0023_former_start_tokens", PackageResources.m0023_former_start_tokens_sql),
        Migration("m0024_bad_tokens", PackageResources.m0024_bad_tokens_sql),
        Migration("m0025_delays", PackageResources.m0025_delays_sql),
        Migration("m0026_device_claims", PackageResources.m0026_device_claims_sql),
        Migration("m0027_token_encryption", PackageResources.m0027_token_encryption_sql),
        Migration("m0028_channels", PackageResources.m0028_channels_sql),
        Migration("m0029_logos", PackageResources.m0029_logos_sql),
        Migration("m0030_phone_claims", PackageResources.m0030_phone_claims_sql),
        Migration("m0031_processes", PackageResources.m0031_processes_sql),
        Migration("m0032_proven_bundle", PackageResources.m0032_proven_bundle_sql),
        Migration("m0033_last_ball", PackageResources.m0033_last_ball_sql),
        Migration("m0034_silence", PackageResources.m0034_silence_sql),
        Migration("m0035_overtaken", PackageResources.m0035_overtaken_sql),
        Migration("m0036_alert_level_times", PackageResources.m0036_alert_level_times_sql),
        Migration("m0037_fixture_ends", PackageResources.m0037_fixture_ends_sql),
        Migration("m0038_waiting_claims", PackageResources.m0038_waiting_claims_sql),
        Migration("m0039_fanout_lag", PackageResources.m0039_fanout_lag_sql),
        Migration("m0040_database_history", PackageResources.m0040_database_history_sql),
        Migration("m0041_channel_marks", PackageResources.m0041_channel_marks_sql),
    ]
}
