-- What wrk sends for `deploy/bench gateway`: each request is another user's. Arguments: the call ("register", "noop" or "open"),
-- the file of users, the number of the first round, the user behind whom to begin.
--
-- A phone's token carries the round in which it is sent, and the request id repeats it: so each answer says which
-- registration it acknowledges. It begins with digits in no order, as APNs' tokens do (LabPhones.token has the same).

local FILLING = string.rep("5a", 64)
local users, round = {}, 0
place = 0
local path, padding
acknowledged, sent = {}, {}
local threads = {}
local output

function setup(thread)
    table.insert(threads, thread)
end

function init(args)
    local call, file, first = args[1], args[2], tonumber(args[3])
    round, place = first, tonumber(args[4])
    local paths = { register = "/matches/1304076/activity-token", noop = "/noop", open = "/noop/open" }
    path = paths[call]
    -- All calls are of the same size.
    padding = string.rep("x", 40 - #path)
    for line in io.lines(file) do
        local number, phone, token = line:match("^(%d+) (%S+) (%S+)$")
        table.insert(users, {
            number = tonumber(number),
            head = "POST " .. path .. " HTTP/1.1\r\nHost: " .. wrk.host .. "\r\nX-Padding: " .. padding
                .. "\r\nContent-Type: application/json\r\nAuthorization: Bearer " .. token .. "\r\nX-Request-ID: ",
            tail = '5a","deviceId":"' .. phone .. '"}',
        })
    end
end

function request()
    place = place + 1
    if place > #users then
        place = 1
        round = round + 1
    end
    local user = users[place]
    sent[user.number] = round
    local mixed = (user.number * 2654435761 + round % 4294967296 * 40503) % 4294967296
    local body = string.format(
        '{"activityToken":"%08x%08x%016x%s%s', mixed, user.number, round, FILLING:sub(3), user.tail)
    return string.format(
        "%s%d-%d\r\nContent-Length: %d\r\n\r\n%s", user.head, user.number, round, #body, body)
end

function response(status, headers, body)
    local number, which = (headers["X-Request-ID"] or ""):match("^(%d+)-(%d+)$")
    if number and status >= 200 and status < 300 then
        number, which = tonumber(number), tonumber(which)
        if which > (acknowledged[number] or 0) then acknowledged[number] = which end
    end
end

function done(summary, latency, requests)
    local file = assert(io.open(os.getenv("BENCH_OUT"), "w"))
    for _, thread in ipairs(threads) do
        local told, asked = thread:get("acknowledged"), thread:get("sent")
        for number, which in pairs(told) do file:write(string.format("%d %d %d\n", number, which, asked[number])) end
    end
    file:close()
    local errors = summary.errors
    io.write(string.format(
        '{"requests":%d,"seconds":%.3f,"p50Ms":%.2f,"p99Ms":%.2f,"maxMs":%.2f,"bytes":%d,"refused":%d,"broken":%d,"place":%d}\n',
        summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
        latency.max / 1e3, summary.bytes, errors.status, errors.connect + errors.read + errors.write + errors.timeout,
        threads[1]:get("place")))
end
