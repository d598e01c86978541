#!/usr/bin/python3
"""Whether compose.yaml and deploy/compose.production.yaml are as locked as their pages say: Tests/DeployTests/compose_files.py

Reads both with Debian's python3-yaml and holds every container to what an operator must not forget; what an image brings along (its
user) is read from deploy/Dockerfile. In production every setting of deploy/docs/settings.md must reach the services
that read it. Then each mistake that it is to find is planted in a copy, and must be found.
It knows no schema of compose: `docker compose config` does."""

import copy
import os
import re
import sys

sys.dont_write_bytecode = True
import yaml  # noqa: E402

import outbound  # noqa: E402

TOP = outbound.TOP
DEMO, PRODUCTION = "compose.yaml", "deploy/compose.production.yaml"
SERVICES = outbound.SERVICES
STAND_INS = {"apns-simulator", "mock-sportmonks", "device-lab"}
# What production has beside the services; everything else in the demo is there in the place of somebody else.
BESIDE = {"migrate", "proxy", "prometheus"}
# Images that are not built here: a full version.
FOREIGN = re.compile(r"postgres:15\.\d+-bookworm(@sha256:[0-9a-f]{64})?")
PRODUCTION_TAG = ":${SIGHTSCREEN_VERSION:-local}"
LOOPBACK = re.compile(r"127\.0\.0\.1:|\$\{GATEWAY_ADDRESS:-127\.0\.0\.1:\d+\}:")
SECRET_NAME = re.compile(r"KEY|PASSWORD|PASSWD|TOKEN|SECRET|CREDENTIAL|DATABASE_URL|PRIVATE")
SECRET_VALUE = re.compile(r"-----BEGIN|://[^/\s:@]*:[^/\s@]+@|\beyJ[\w-]{20,}")
# A name, and an age; and the one word that the demo's stand-in for the provider takes, which opens nothing else.
NO_SECRETS = {"APNS_KEY_ID", "APNS_TOKEN_MIN_AGE"}
DEMO_WORDS = {"SPORTMONKS_API_TOKEN": "demo-provider-token", "MOCK_SPORTMONKS_TOKEN": "demo-provider-token"}
# The settings of deploy/docs/settings.md that a line in production.env does not change, and why not.
SECRET_FILE = "a file that is handed over"
IMAGE = "the image has it"
NOT_PASSED = {
    "DATABASE_URL": SECRET_FILE, "SPORTMONKS_API_TOKEN": SECRET_FILE, "ADMIN_API_KEY": SECRET_FILE, "APNS_KEY_FILE": SECRET_FILE,
    "TOKEN_KEY_FILE": SECRET_FILE,
    "SIGHTSCREEN_RUN_DIR": IMAGE, "HEALTH_HOST": IMAGE, "HEALTH_PORT": IMAGE, "GATEWAY_HOST": IMAGE, "GATEWAY_PORT": IMAGE,
    "INSTANCE": "each replica is named by its container",
    "OTEL_SERVICE_NAME": "would be one for all services",
    "TRUSTED_PROXIES": "the proxy of the file, and nobody else",
    "APNS_CA_FILE": "no file of the machine is mounted, and only a stand-in needs one",
    "SIGHTSCREEN_STAND_INS": "never in production", "REPLAY_URL": "only with stand-ins",
}
# What the image of every program of ours says, so that a crash prints no memory.
BACKTRACE = "ENV SWIFT_BACKTRACE=registers=none,sanitize=yes"
# What would share more with the machine than a container does.
SHARING = ("privileged", "network_mode", "pid", "ipc", "uts", "userns_mode", "cgroup", "cgroup_parent", "cap_add", "devices",
           "device_cgroup_rules", "extra_hosts", "env_file", "volumes_from", "group_add", "sysctls", "runtime", "credential_spec")
NAMING = ("container_name", "hostname")


def users():
    """Of the Dockerfile's stages, by name."""
    with open(os.path.join(TOP, "deploy/Dockerfile"), encoding="utf-8") as file:
        text = file.read().replace("\\\n", " ")
    found, now = {}, None
    for line in text.splitlines():
        words = line.split()
        if words[:1] == ["FROM"]:
            now = words[-1]
            found[now] = found.get(words[1], "root")
        elif words[:1] == ["USER"]:
            found[now] = words[1]
    return found


def named(section):
    """`NAME: value`, or a list of `NAME=value`."""
    if isinstance(section, list):
        return dict(each.split("=", 1) if "=" in each else (each, None) for each in section)
    return dict(section or {})


def is_root(user):
    return str(user).split(":")[0] in ("root", "0", "")


def wrong_with_bounds(service, user):
    if service.get("read_only") is not True:
        yield "its file system can be written to"
    if service.get("cap_drop") != ["ALL"]:
        yield "keeps capabilities"
    if service.get("security_opt") != ["no-new-privileges:true"]:
        yield "may gain privileges, or loses a profile"
    if is_root(service.get("user", user)):
        yield "runs as root"
    for name in ("mem_limit", "pids_limit"):
        if not service.get(name) or str(service[name]) in ("-1", "0"):
            yield f"no {name}"
    for name in SHARING:
        if name in service:
            yield f"has {name}"
    for name in NAMING:
        if name in service:
            yield f"{name}: replicas would share it"
    places = service.get("tmpfs", [])
    for place in [places] if isinstance(places, str) else places:
        # As docker mounts it unless told otherwise: noexec, nosuid, nodev.
        if {"exec", "suid", "dev"} & set(place.partition(":")[2].split(",")):
            yield f"{place}: programs could be run from it"
    if "max-size" not in service.get("logging", {}).get("options", {}):
        yield "its log grows without bound"
    if "SWIFT_BACKTRACE" in named(service.get("environment")):
        yield "has another SWIFT_BACKTRACE than the image"


def wrong_with_volumes(service, volumes):
    for volume in service.get("volumes", []):
        source = volume.get("source", "") if isinstance(volume, dict) else volume.split(":")[0]
        if "docker.sock" in str(volume) or "containerd" in str(volume):
            yield "holds the socket of docker"
        elif source not in volumes:
            yield f"{source}: a folder of the machine, or no volume of the file"


def wrong_with_secrets(service, is_production, secrets):
    words = named(service.get("environment"))
    for name, value in words.items():
        value = "" if value is None else str(value)
        if SECRET_VALUE.search(value):
            yield f"{name}: a secret"
        elif name.endswith("_FILE"):
            given = re.fullmatch(r"(?:\$\{\w+:\+)?/run/secrets/([\w.-]+)\}?", value)
            if is_production and not (given and given[1] in service.get("secrets", [])):
                yield f"{name}: no secret that is handed to it"
        elif SECRET_NAME.search(name) and name not in NO_SECRETS and (is_production or DEMO_WORDS.get(name) != value):
            yield f"{name}: a secret that is no file"
    for part in (service.get("command"), service.get("entrypoint")):
        # What the demo makes when it begins is made of a variable.
        if SECRET_VALUE.search(str(part or "").replace(":%s@", "")):
            yield "a secret in its command"
    for secret in service.get("secrets", []):
        if secret not in secrets:
            yield f"{secret}: no secret of the file"


def wrong_with_image(service, is_production, built):
    image, target = service.get("image", ""), (service.get("build") or {}).get("target")
    if target is None:
        if not FOREIGN.fullmatch(image):
            yield f"image {image}: neither built here nor pinned"
    elif target not in built:
        yield f"target {target}: no stage of the Dockerfile"
    elif is_production and image != f"sightscreen/{target}{PRODUCTION_TAG}":
        yield f"image {image}: not sightscreen/{target}{PRODUCTION_TAG}"
    elif not is_production and not re.fullmatch(r"sightscreen-demo/[\w-]+", image):
        yield f"image {image}: not of the demo"


def wrong_with_production(name, service):
    target = (service.get("build") or {}).get("target")
    if name not in SERVICES | BESIDE or target in STAND_INS or re.search("sightscreen-demo|stand-in|simulator|mock", str(service)):
        yield "is a stand-in, or unknown"
    if "SIGHTSCREEN_STAND_INS" in str(service):
        yield "lets stand-ins be used"
    if service.get("ports") and name != "proxy" and service.get("profiles") != ["watch"]:
        yield "publishes a port"


def settings():
    """Who reads each setting of deploy/docs/settings.md."""
    found = {name: readers for name, (_, readers) in outbound.settings().items()}
    if not NOT_PASSED.keys() <= found.keys():
        raise SystemExit(f"deploy/docs/settings.md has not {set(NOT_PASSED) - set(found)}")
    return found


def wrong_with_settings(name, service, known):
    """A line in production.env is to reach who reads it, and nothing is to be passed that nobody reads."""
    words = named(service.get("environment"))
    for setting, readers in known.items():
        if setting not in NOT_PASSED and name in readers and not re.match(rf"\$\{{{setting}:[-?]", str(words.get(setting))):
            yield f"{setting} of production.env does not reach it"
    for word in words:
        if name not in known.get(word, known.get(word.removesuffix("_FILE"), ())):
            yield f"{word} is no setting of its"


def wrong_with_head(head, known):
    """What can be set is said where an operator looks first."""
    said = set(re.findall(r"[A-Z][A-Z0-9_]+", head))
    for setting in known:
        if setting not in NOT_PASSED and setting not in said:
            yield f"{setting} is not named in its head"


def problems_of(files, built, known):
    """Of both files, as they were read."""
    for path, file in files.items():
        is_production = path == PRODUCTION
        if not SERVICES | {"migrate", "proxy"} <= set(file["services"]):
            yield f"{path}: a service is missing"
        for name, service in file["services"].items():
            user = built.get((service.get("build") or {}).get("target"), "root")
            found = [
                *wrong_with_bounds(service, user), *wrong_with_volumes(service, file["volumes"]),
                *wrong_with_secrets(service, is_production, file.get("secrets", {})),
                *wrong_with_image(service, is_production, built),
                *(wrong_with_production(name, service) if is_production else []),
                *(wrong_with_settings(name, service, known) if is_production and name in SERVICES else [])]
            for port in service.get("ports", []):
                if not LOOPBACK.match(str(port)):
                    found.append(f"port {port}: not of the loopback alone")
            yield from (f"{path}: {name} {problem}" for problem in found)
        for name, secret in file.get("secrets", {}).items():
            if list(secret) != ["file"]:
                yield f"{path}: secret {name} is no file"
        for name, network in file.get("networks", {}).items():
            if (network or {}).get("driver", "bridge") != "bridge" or (network or {}).get("external"):
                yield f"{path}: network {name} is not of its own"
        for name, volume in file["volumes"].items():
            if volume:
                yield f"{path}: volume {name} is somewhere else"


# What is planted, one at a time: (file or None for both, service, what is set or taken away, what is to be said).
GONE = object()
MISTAKES = [
    (None, "event-bus", {"read_only": GONE}, "can be written to"),
    (None, "event-bus", {"read_only": False}, "can be written to"),
    (None, "la-coordinator", {"cap_drop": GONE}, "keeps capabilities"),
    (None, "la-coordinator", {"cap_drop": ["NET_RAW"]}, "keeps capabilities"),
    (None, "proxy", {"cap_add": ["NET_BIND_SERVICE"]}, "has cap_add"),
    (None, "proxy", {"security_opt": GONE}, "gain privileges"),
    (None, "proxy", {"security_opt": ["no-new-privileges:true", "seccomp:unconfined"]}, "loses a profile"),
    (None, "api-gateway", {"user": "root"}, "as root"),
    (None, "api-gateway", {"user": "0:0"}, "as root"),
    (None, "api-gateway", {"user": 0}, "as root"),
    (DEMO, "postgres", {"user": GONE}, "as root"),
    (None, "orchestrator", {"mem_limit": GONE}, "no mem_limit"),
    (None, "orchestrator", {"pids_limit": GONE}, "no pids_limit"),
    (None, "orchestrator", {"pids_limit": -1}, "no pids_limit"),
    (None, "score-poller", {"network_mode": "host"}, "has network_mode"),
    (None, "score-poller", {"privileged": True}, "has privileged"),
    (None, "score-poller", {"pid": "host"}, "has pid"),
    (None, "score-poller", {"devices": ["/dev/mem"]}, "has devices"),
    (None, "score-poller", {"container_name": "poller"}, "would share it"),
    (None, "event-bus", {"volumes": ["/var/run/docker.sock:/var/run/docker.sock"]}, "socket of docker"),
    (None, "event-bus", {"volumes": [{"type": "bind", "source": "/run/docker.sock", "target": "/x"}]}, "socket of docker"),
    (None, "event-bus", {"volumes": ["/etc:/etc:ro"]}, "folder of the machine"),
    (None, "event-bus", {"volumes": ["./state:/state"]}, "folder of the machine"),
    (None, "event-bus", {"tmpfs": ["/tmp:exec"]}, "run from it"),
    (None, "event-bus", {"tmpfs": "/tmp:size=1m,exec"}, "run from it"),
    (None, "event-bus", {"logging": GONE}, "without bound"),
    (None, "event-bus", {"environment": {"SWIFT_BACKTRACE": "enable=yes"}}, "another SWIFT_BACKTRACE"),
    (None, "la-coordinator", {"environment": {"APNS_KEY": "abc"}}, "APNS_KEY: a secret that is no file"),
    (None, "la-coordinator", {"environment": ["ADMIN_API_KEY=abc"]}, "ADMIN_API_KEY: a secret that is no file"),
    (None, "la-coordinator", {"environment": {"DATABASE_URL": "${DATABASE_URL}"}}, "DATABASE_URL: a secret that is no file"),
    (None, "la-coordinator", {"environment": {"PLACE": "postgresql://a:b@host/c"}}, "PLACE: a secret"),
    (None, "orchestrator", {"environment": {"SPORTMONKS_API_TOKEN": "real"}}, "SPORTMONKS_API_TOKEN: a secret that is no file"),
    (PRODUCTION, "orchestrator", {"environment": {"SPORTMONKS_API_TOKEN": "demo-provider-token"}}, "a secret that is no file"),
    (PRODUCTION, "orchestrator", {"environment": {"DATABASE_URL_FILE": "/tmp/database-url"}}, "handed to it"),
    (PRODUCTION, "orchestrator", {"secrets": []}, "handed to it"),
    (PRODUCTION, "orchestrator", {"secrets": ["database-url", "sportmonks-api-token", "other"]}, "other: no secret of the file"),
    (None, "migrate", {"command": ["migrate", "postgresql://a:b@host/c"]}, "secret in its command"),
    (DEMO, "postgres", {"image": "postgres:latest"}, "nor pinned"),
    (DEMO, "postgres", {"image": "postgres"}, "nor pinned"),
    (DEMO, "postgres", {"image": "postgres:15-bookworm"}, "nor pinned"),
    (None, "proxy", {"build": GONE, "image": "haproxy:2.6"}, "nor pinned"),
    (None, "proxy", {"build": {"target": "other"}}, "no stage"),
    (None, "proxy", {"build": {"target": "build"}}, "as root"),
    (PRODUCTION, "proxy", {"image": "sightscreen/proxy:latest"}, "not sightscreen/proxy"),
    (PRODUCTION, "event-bus", {"environment": {"SIGHTSCREEN_STAND_INS": "1"}}, "stand-ins be used"),
    (PRODUCTION, "apns-simulator", {"build": {"target": "apns-simulator"}}, "is a stand-in"),
    (PRODUCTION, "postgres", {"image": "postgres:15.19-bookworm"}, "or unknown"),
    (PRODUCTION, "api-gateway", {"ports": ["127.0.0.1:8080:8080"]}, "publishes a port"),
    (PRODUCTION, "prometheus", {"profiles": GONE}, "publishes a port"),
    (PRODUCTION, "event-bus", {"environment": {}}, "LEASE_DURATION of production.env does not reach"),
    (PRODUCTION, "event-bus", {"environment": {"START_RATE": "${START_RATE:-}"}}, "START_RATE is no setting of its"),
    (PRODUCTION, "score-poller", {"environment": {"POLL_INTERVALL": "5s"}}, "POLL_INTERVALL is no setting"),
    (None, "proxy", {"ports": ["8080:8080"]}, "not of the loopback"),
    (None, "proxy", {"ports": ["0.0.0.0:8080:8080"]}, "not of the loopback"),
    (PRODUCTION, "prometheus", {"ports": ["9090:9090"]}, "not of the loopback"),
]
# The same of what is no service: (section, name, value, what is to be said).
AROUND = [
    ("secrets", "database-url", {"environment": "DATABASE_URL"}, "is no file"),
    ("networks", "default", {"driver": "host"}, "not of its own"),
    ("volumes", "sockets", {"driver_opts": {"device": "/run", "o": "bind"}}, "somewhere else"),
    ("services", "event-bus", GONE, "a service is missing"),
]


def change(section, changes):
    for name, value in changes.items():
        if value is GONE:
            section.pop(name, None)
        else:
            section[name] = value


def planted(files):
    """(what, the files with it, the file that it is in, what is to be said)."""
    for only, service, changes, said in MISTAKES:
        for path in [only] if only else files:
            # The same pieces are in many places of what was read.
            mistaken = {each: copy.deepcopy(file) for each, file in files.items()}
            services = mistaken[path]["services"]
            services[service] = copy.deepcopy(services.get(service, services["event-bus"]))
            change(services[service], changes)
            yield f"{path}: {service} {changes}", mistaken, f"{path}: {service}", said
    for section, name, value, said in AROUND:
        mistaken = {each: copy.deepcopy(file) for each, file in files.items()}
        change(mistaken[PRODUCTION][section], {name: value})
        yield f"{PRODUCTION}: {section} {name} {value}", mistaken, PRODUCTION, said


def main():
    files, built, known = {}, users(), settings()
    for path in (DEMO, PRODUCTION):
        with open(os.path.join(TOP, path), encoding="utf-8") as file:
            text = file.read()
        files[path] = yaml.safe_load(text)
        if path == PRODUCTION:
            head = text[:text.index("\nname:")]
    problems, tried = list(problems_of(files, built, known)), 0
    with open(os.path.join(TOP, "deploy/Dockerfile"), encoding="utf-8") as file:
        if BACKTRACE not in file.read().split(" AS runtime\n")[1].split("\nFROM ")[0].splitlines():
            problems.append(f"deploy/Dockerfile: runtime has no {BACKTRACE}")
    problems += [f"{PRODUCTION}: {problem}" for problem in wrong_with_head(head, known)]
    if not any("STORE_URL" in problem for problem in wrong_with_head(head.replace("STORE_URL", ""), known)):
        problems.append("not found: a head without STORE_URL")
    for what, mistaken, place, said in planted(files):
        tried += 1
        found = set(problems_of(mistaken, built, known)) - set(problems)
        if not any(problem.startswith(place) and said in problem for problem in found):
            problems.append(f"not found: {what} ({said!r}); {sorted(found)}")
    for problem in problems:
        print(problem, file=sys.stderr)
    count = sum(len(file["services"]) for file in files.values())
    print(f"Compose: {count} containers in {len(files)} files, {tried} planted mistakes, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
