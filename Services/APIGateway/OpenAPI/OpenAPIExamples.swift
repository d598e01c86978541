import Tokens

/// One example of each body and each answer, under the name of the component that describes it.
enum OpenAPIExamples {
    static let all: [String: JSONValue] = [
        "Matches": [
            "matches": [match], "nextCursor": "1795305600-1304076", "retryAfterMs": 5_000, "listedUntil": 1_796_601_600,
        ],
        "LiveMatches": ["matches": [match], "retryAfterMs": 2_000],
        "Match": match,
        "Following": [
            "following": true, "displayState": state, "liveActivity": "starting", "channel": ["id": channel],
            "relevance": .number("62.5"),
        ],
        "ActivityReported": ["liveActivity": "active"],
        "Unfollowed": ["following": false],
        "Follow": follow,
        "Follows": ["follows": [follow]],
        "Device": ["deviceId": phone, "liveActivitiesCapable": true],
        "Activity": ["liveActivity": "active", "displayState": state],
        "UserData": [
            "userId": "5c0f0b0e-90c2-4f0e-9d1c-1f3b3f1d8a11", "exportedAt": 1_795_305_600,
            "devices": [
                [
                    "deviceId": phone, "platform": "ios", "environment": "production",
                    "pushToStartTokenAt": 1_795_300_000, "osVersion": "18.2", "appVersion": "2.4.0",
                    "liveActivitiesEnabled": true, "frequentPushesEnabled": true, "createdAt": 1_795_300_000,
                    "lastSeenAt": 1_795_305_500, "fallbackStep": "none",
                ]
            ],
            "follows": [follow],
            "liveActivities": [
                [
                    "matchId": "1304076", "deviceId": phone, "generation": 1, "status": "active", "startsSent": 1,
                    "startSentAt": 1_795_305_000, "activityTokenAt": 1_795_305_001,
                    "endPush": "none", "createdAt": 1_795_304_000, "activatedAt": 1_795_305_001,
                ]
            ],
        ],
        "Problem": [
            "type": "/problems/unauthorized", "title": "Unauthorized", "status": 401,
            "detail": "there is no bearer token", "requestId": "0f6b2a9c4d1e4f5a",
        ],
        "AppConfig": config,
        "Status": ["status": "ok"],
        "Index": [
            "name": "Sightscreen API", "documentation": "/openapi.json", "authentication": "Authorization: Bearer …",
            "calls": ["GET /matches/live"],
        ],
        "OpenAPI": ["openapi": "3.1.0"],
        "AdminConfig": ["effective": config, "overridden": ["minAppVersion"], "changedAt": 1_795_305_600],
        "Hold": [
            "matchId": "1304076", "hold": "alerts", "effective": "alerts", "setAt": 1_795_305_600,
            "setBy": "api-key:console",
        ],
        "SyncedFixtures": [
            "fixtures": [
                [
                    "matchId": "1304076", "leagueId": "1", "competition": "Indian Premier League", "round": "Final",
                    "format": "twenty20", "status": "1st Innings", "startsAt": 1_795_302_000, "home": mumbai,
                    "away": chennai, "venue": "Wankhede Stadium", "syncedAt": 1_795_305_600, "displayState": "live",
                    "version": 173,
                ]
            ]
        ],
        "CacheStats": [
            "instance": "api-gateway-1", "replies": ["entries": 12, "hits": 90_210, "misses": 318],
            "keys": ["entries": 2, "ageSeconds": 1_800, "verifiedTokens": 40_112],
        ],
        "Audit": [
            "entries": [
                [
                    "id": "42", "at": 1_795_305_600, "actor": "api-key:console", "action": "hold-set",
                    "detail": ["match": "1304076", "level": "alerts"],
                ]
            ]
        ],
        "Tapes": ["tapes": [["tapeId": "1304076", "title": "MI v CSK, Final"]]],
        "Replays": ["matches": [replay]],
        "Replay": replay,

        "ActivityTokenRequest": [
            "activityToken": token, "deviceId": phone, "activityId": "9F3C1A52-6D0B-4E0C-8A77-0B1C2D3E4F50",
            "startId": "s-1304076-1",
        ],
        "ActivityReport": [
            "activityId": "9F3C1A52-6D0B-4E0C-8A77-0B1C2D3E4F50", "channelId": channel, "deviceId": phone,
        ],
        "ActivityDismissal": ["deviceId": phone, "activityId": "9F3C1A52-6D0B-4E0C-8A77-0B1C2D3E4F50"],
        "FollowRequest": ["matchId": "1304076", "deviceId": phone, "teamId": "6", "alerts": "key"],
        "MatchFollowRequest": ["deviceId": phone, "alerts": "all"],
        "UnfollowRequest": ["matchId": "1304076"],
        "Nothing": [:],
        "FollowChange": ["teamId": "6", "alerts": "none"],
        "TeamChange": ["teamId": "6"],
        "DeviceRegistration": [
            "deviceId": phone, "platform": "ios", "deviceToken": token, "osVersion": "18.2", "appVersion": "2.4.0",
            "environment": "production", "liveActivitiesEnabled": true, "frequentPushesEnabled": true,
            "broadcast": true, "activities": [["matchId": "1304076", "state": "active"]], "bootedAt": 1_795_200_000,
        ],
        "DeviceConfirmation": ["nonce": "6f1c0b7e52a94d38a1f04be2c97d5a13", "deviceId": phone],
        "PushToStartRegistration": ["pushToStartToken": token, "deviceId": phone],
        "AdminConfigChange": ["minAppVersion": "2.3.0", "maintenanceMessage": .null],
        "HoldChange": ["hold": "alerts"],
        "ReplayOrder": ["tapeId": "1304076", "speed": 10, "lead": 60],
        "ReplayControl": ["action": "seek", "ball": "S1 12.3"],
    ]

    private static let phone: JSONValue = "6F9619FF-8B86-D011-B42D-00C04FC964FF"
    private static let token: JSONValue = .string(String(repeating: "80a1c3f4", count: 8))
    private static let channel: JSONValue = "dHN0LXNyY2gtY2hubA=="
    private static let mumbai: JSONValue = [
        "id": "6", "name": "Mumbai Indians", "abbr": "MI",
        "logo": "https://cdn.sportmonks.com/images/cricket/teams/6/6.png",
    ]
    private static let chennai: JSONValue = ["id": "2", "name": "Chennai Super Kings", "abbr": "CSK"]

    private static let match: JSONValue = [
        "id": "1304076", "leagueId": "1", "competition": "Indian Premier League", "round": "Final",
        "format": "twenty20", "status": "live", "startsAt": 1_795_302_000, "home": mumbai, "away": chennai,
        "venue": "Wankhede Stadium", "displayState": state, "relevance": .number("62.5"),
    ]

    private static let state: JSONValue = [
        "schema": 1, "version": 173, "matchDisplayState": "live", "matchSentiment": "neutral",
        "compactLeading": ["teamAbbr": "MI", "score": "87/6"], "compactTrailing": ["overs": "12.3", "runRate": "6.96"],
        "expanded": [
            "title": "MI v CSK", "subtitle": "Final",
            "innings": [["teamAbbr": "MI", "score": "87/6", "overs": "12.3"]],
            "batters": [["name": "Pollard", "score": "12 (9)", "strikeRate": "133.33", "onStrike": true]],
            "bowler": ["name": "Chahar", "figures": "2.3-0-18-2", "economy": "7.20"],
            "recentBalls": ["1", "•", "4", "W"],
            "lastEvent": ["kind": "wicket", "ball": "12.3", "text": "Sharma c Dhoni b Chahar 43 (31)"],
        ],
    ]

    private static let follow: JSONValue = [
        "matchId": "1304076", "teamId": "6", "alerts": "key", "followedAt": 1_795_300_000,
    ]

    private static let config: JSONValue = [
        "minAppVersion": "2.3.0", "storeUrl": "https://apps.apple.com/app/id1", "maintenanceMode": false,
    ]

    private static let replay: JSONValue = [
        "matchId": "9000000001", "tapeId": "1304076", "title": "MI v CSK, Final", "variant": "clean", "seed": "1",
        "cursor": 210, "frames": 640, "label": "S1 12.3 87/6", "playing": true, "speed": 10, "isLast": false,
    ]
}
