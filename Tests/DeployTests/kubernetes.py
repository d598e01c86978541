#!/usr/bin/env python3
"""Whether the manifests are what their page says: deploy/test runs Tests/DeployTests/kubernetes.py

Needs PyYAML and kubernetes-validate, by whose schemas it holds them to what a cluster takes. Then every container is held to what an
operator must not forget, its secrets to what its service reads, and the network policies to whom the services reach. Each mistake
that it is to find is planted in a copy, and must be found."""

import copy
import ipaddress
import os
import re
import sys

import kubernetes_validate
import yaml

sys.dont_write_bytecode = True
import outbound  # noqa: E402
from outbound import SERVICES  # noqa: E402

LOCKED = {
    "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]},
}
# The oldest and the newest whose schemas are there.
VERSIONS = (kubernetes_validate.utils.all_versions()[0], kubernetes_validate.utils.all_versions()[-1])
# The cloud's own services, which give credentials to any pod that asks, are among them.
PRIVATE = [ipaddress.ip_network(text) for text in
           ("10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7", "fe80::/10")]
# Apple's and another's: where hosts of the Internet may be.
PUBLIC = [ipaddress.ip_address(text) for text in ("17.188.1.1", "52.28.1.1", "2620:149::1", "2a05:d014::1")]
# Those that reach each other through sockets.
TOGETHER = {"la-coordinator", "event-bus", "score-poller", "orchestrator"}
FOLDER = "/run/secrets/sightscreen/"
# What `sightscreen migrate` reads, which is no service.
MIGRATE = {"DATABASE_URL", "TOKEN_KEY_FILE"}


def wrong_with_schema(document):
    for version in VERSIONS:
        try:
            kubernetes_validate.validate(document, version, strict=True)
        except kubernetes_validate.ValidationError as error:
            yield f"not of Kubernetes {version}: {'.'.join(str(each) for each in error.path)}: {error.message}"


def wrong_with_secrets(name, container, pod, known):
    """A container reads every secret that is in its reach, and its settings name no other."""
    volumes = {volume["name"]: volume for volume in pod.get("volumes", [])}
    mounted = {}
    for mount in container.get("volumeMounts", []):
        secret = volumes.get(mount["name"], {}).get("secret")
        if secret is None:
            continue
        if not secret.get("items"):
            yield f"{name}: a whole secret is in its reach"
        mounted.update({f"{mount['mountPath']}/{item['path']}": item["key"] for item in secret.get("items", [])})
    named = set()
    for each in container.get("env", []):
        if each.get("value", "").startswith("/run/secrets/"):
            plain = each["name"] if each["name"] in known else each["name"].removesuffix("_FILE")
            readers = MIGRATE if name == "migrate" else {setting for setting in known if name in known[setting]}
            if name != "proxy" and plain not in readers:
                yield f"{name}: does not read {each['name']}"
            if each["value"] not in mounted:
                yield f"{name}: {each['name']} names {each['value']}, which is not mounted"
            named.add(each["value"])
        elif each["name"].endswith("_FILE") or "secretKeyRef" in str(each):
            yield f"{name}: {each['name']} is no file of a secret"
    # The URL names the CA's certificate, and haproxy looks for the key beside its certificate.
    beside = {FOLDER + "database-url": FOLDER + "database-ca.crt", "/run/secrets/tls/tls.pem": "/run/secrets/tls/tls.pem.key"}
    for path in mounted.keys() - named - {beside.get(each) for each in named}:
        yield f"{name}: reads no {path}"


def wrong_with_container(kind, pod_name, container, pod, known, shared):
    name = container["name"]
    if container.get("securityContext") != LOCKED:
        yield f"{name}: not locked"
    if not container.get("resources", {}).get("limits", {}).get("memory") or not container["resources"].get("requests"):
        yield f"{name}: no requests, or no limit of memory"
    elif "cpu" in container["resources"]["limits"]:
        yield f"{name}: a limit of processor time makes it stand still in bursts"
    volumes = {volume["name"] for volume in pod.get("volumes", [])}
    for mount in container.get("volumeMounts", []):
        if mount["name"] not in volumes:
            yield f"{name}: {mount['name']} is no volume of the pod"
    env = {each["name"]: each for each in container.get("env", [])}
    settings = set(re.findall(r"PROXY_\w+", outbound.read("deploy/proxy/haproxy.cfg"))) if name == "proxy" else known
    for setting in env.keys() | (shared.keys() if container.get("envFrom") else set()):
        if setting not in settings and setting.removesuffix("_FILE") not in settings:
            yield f"{name}: {setting} is no setting"
    if kind != "Deployment":
        return
    health = "9090" if name == "proxy" else env.get("HEALTH_PORT", {}).get("value")
    ports = {port["name"]: str(port["containerPort"]) for port in container["ports"]}
    for probe in ("readinessProbe", "livenessProbe"):
        if health is None or ports.get(container.get(probe, {}).get("httpGet", {}).get("port")) != health:
            yield f"{name}: {probe} does not ask its health port"
    if name not in SERVICES:
        return
    # Without it logs and leases would name a hash.
    if env.get("INSTANCE", {}).get("valueFrom", {}).get("fieldRef", {}).get("fieldPath") != "metadata.name":
        yield f"{name}: INSTANCE is not the pod's name"
    # name-<hash of ten>-<five>, of which INSTANCE takes 32.
    if len(pod_name) + 17 > 32:
        yield f"{name}: the pods' names are too long for INSTANCE"
    if {"name": "sockets", "mountPath": "/run/sightscreen"} not in container["volumeMounts"]:
        yield f"{name}: no sockets"
    # The volume itself is open to every user, which the services refuse.
    if not shared.get("SIGHTSCREEN_RUN_DIR", "").startswith("/run/sightscreen/"):
        yield f"{name}: SIGHTSCREEN_RUN_DIR is no folder of its own in the volume of the sockets"


def wrong_with_pod(kind, name, pod, known, shared):
    context = pod.get("securityContext", {})
    if not context.get("runAsNonRoot") or context.get("runAsUser") != 10001 or context.get("fsGroup") != 10001:
        yield "runs as somebody else than 10001"
    if context.get("seccompProfile") != {"type": "RuntimeDefault"}:
        yield "has no seccomp profile"
    if pod.get("automountServiceAccountToken") is not False:
        yield "gets a token of the cluster"
    # A drain of 5 s, and what comes before it.
    if kind == "Deployment" and pod.get("terminationGracePeriodSeconds", 0) < 15:
        yield "has too little time to end"
    ports = [port for container in pod["containers"] for port in container.get("ports", [])]
    for key in ("containerPort", "name"):
        if len({port[key] for port in ports}) != len(ports):
            yield f"has a {key} twice: all containers of a pod share one address"
    for container in pod["containers"]:
        yield from wrong_with_container(kind, name, container, pod, known, shared)
        yield from wrong_with_secrets(container["name"], container, pod, known)


def selects(selector, labels):
    return selector["matchLabels"].items() <= labels.items()


def covers(block, address):
    return address in ipaddress.ip_network(block["cidr"]) and not any(
        address in ipaddress.ip_network(hole) for hole in block.get("except", []))


def numbers(rule):
    return {number for port in rule["ports"] if port.get("protocol", "TCP") == "TCP"
            for number in range(port["port"], port.get("endPort", port["port"]) + 1)}


def reached(policies, labels, address):
    """The ports of a public address that pods with these labels may ask."""
    return {number for policy in policies if selects(policy["podSelector"], labels) for rule in policy.get("egress", [])
            if any(covers(place["ipBlock"], address) for place in rule["to"] if "ipBlock" in place) for number in numbers(rule)}


def wrong_with_policies(policies, pods):
    """`pods`: labels and containers of each. It asks of the Internet what its services ask by default, and nothing else."""
    for policy in policies:
        for rule in policy.get("ingress", []) + policy.get("egress", []):
            if not rule.get("ports") or not (rule.get("from") or rule.get("to")):
                yield "a rule for every port, or for everybody"
        for block in (place["ipBlock"] for rule in policy.get("egress", []) for place in rule.get("to", []) if "ipBlock" in place):
            for network in PRIVATE:
                if network.version == ipaddress.ip_network(block["cidr"]).version and covers(block, network[1]) and \
                        ipaddress.ip_network(block["cidr"]).prefixlen < 16:
                    yield f"{block['cidr']}: reaches {network}"
    for labels, containers in pods:
        own = [policy for policy in policies if selects(policy["podSelector"], labels)]
        if {kind for policy in own for kind in policy["policyTypes"]} != {"Ingress", "Egress"}:
            yield f"{labels.get('app')}: not bounded in both directions"
        needed = {port for _, port, readers, _ in outbound.hosts() if readers & containers}
        for address in PUBLIC:
            open_ports = reached(policies, labels, address)
            if open_ports != needed:
                yield f"{labels.get('app')}: reaches {sorted(open_ports)} of {address}, and its services ask {sorted(needed)}"
        # Clients come through the proxy, which bounds them.
        for rule in (rule for policy in own for rule in policy.get("ingress", []) if 8080 in numbers(rule)):
            if "proxy" not in containers and rule["from"] != [{"podSelector": {"matchLabels": {"app": "proxy"}}}]:
                yield f"{labels.get('app')}: is asked by others than the proxy"


def wrong_with_services(services, route):
    front = services.get("proxy", {})
    if front.get("type") != "LoadBalancer" or front.get("externalTrafficPolicy") != "Local":
        yield "Service proxy: clients do not keep their addresses"
    gateways = services.get("api-gateway", {})
    if gateways.get("clusterIP") != "None" or not gateways.get("publishNotReadyAddresses"):
        yield "Service api-gateway: does not name its pods to the proxy"
    for each in (each for rule in route["spec"]["rules"] for each in rule["backendRefs"]):
        if each["port"] not in [port["port"] for port in services.get(each["name"], {}).get("ports", [])]:
            yield f"HTTPRoute: there is no port {each['port']} of a Service {each['name']}"


def problems_of(documents):
    known = {name: readers for name, (_, readers) in outbound.settings().items()}
    stages = set(re.findall(r"^FROM \S+ AS (\S+)$", outbound.read("deploy/Dockerfile"), re.M))
    of_kind = {}
    for document in documents:
        of_kind.setdefault(document.get("kind"), {})[document["metadata"]["name"]] = document
    shared = {name: value for each in of_kind["ConfigMap"].values() for name, value in each["data"].items()}
    pods, places = [], {}
    for document in documents:
        kind, name = document.get("kind"), document["metadata"]["name"]
        yield from (f"{kind} {name}: {problem}" for problem in wrong_with_schema(document))
        template = document.get("spec", {}).get("template")
        if template is None:
            continue
        pod, labels = template["spec"], template["metadata"]["labels"]
        pods.append((labels, {container["name"] for container in pod["containers"]}))
        places.update({container["name"]: name for container in pod["containers"]})
        yield from (f"{kind} {name}: {problem}" for problem in wrong_with_pod(kind, name, pod, known, shared))
        for container in pod["containers"]:
            stage = "sightscreen" if container["name"] == "migrate" else container["name"]
            if f"/{stage}:" not in container["image"] or stage not in stages:
                yield f"{kind} {name}: {container['image']} is no image of {container['name']}"
        if kind == "Deployment":
            if not selects(document["spec"]["selector"], labels):
                yield f"{name}: its selector does not fit its pods"
            if name not in of_kind["PodDisruptionBudget"]:
                yield f"{name}: no PodDisruptionBudget"
    yield from wrong_with_policies([each["spec"] for each in of_kind["NetworkPolicy"].values()], pods)
    route = yaml.safe_load(outbound.read("deploy/kubernetes/httproute.yaml"))
    yield from wrong_with_services({name: each["spec"] for name, each in of_kind["Service"].items()}, route)
    if not SERVICES | {"proxy", "migrate"} <= places.keys():
        yield f"missing: {SERVICES | {'proxy', 'migrate'} - places.keys()}"
    elif len({places[service] for service in TOGETHER}) != 1:
        yield "what talks through sockets is not in one pod"


# What is planted, one at a time: (text, what is in its place, what is to be said). The text is in the manifests.
MISTAKES = [
    ("{ port: 443 }, { port: 2195, endPort: 2196 }", "{ port: 443 }", "its services ask [443, 2195, 2196]"),
    ("{ port: 2195, endPort: 2196 }", "{ port: 2196 }", "its services ask [443, 2195, 2196]"),
    ('        - ipBlock: { cidr: "2000::/3" }\n', "", "reaches [] of 2620:149::1"),
    ("{ port: 2195, endPort: 2196 }", "{ port: 1, endPort: 65535 }", "its services ask [443, 2195, 2196]"),
    ("except: [10.0.0.0/8, ", "except: [", "reaches 10.0.0.0/8"),
    ("podSelector: { matchLabels: { app.kubernetes.io/part-of: sightscreen } }", "podSelector: { matchLabels: { app: none } }",
     "not bounded in both directions"),
    ("    - from: [{ podSelector: { matchLabels: { app: proxy } } }]\n      ports: [{ port: 8080 }]",
     "    - from: [{ podSelector: {} }]\n      ports: [{ port: 8080 }]", "asked by others than the proxy"),
    ("            items:\n              - { key: tls.crt, path: tls.pem }\n              - { key: tls.key, path: tls.pem.key }\n", "",
     "a whole secret is in its reach"),
    ("{ name: event-bus-secrets, mountPath", "{ name: la-coordinator-secrets, mountPath", "event-bus: reads no"),
    ("- { name: SPORTMONKS_API_TOKEN_FILE, value: /run/secrets/sightscreen/sportmonks-api-token }",
     "- { name: APNS_KEY_FILE, value: /run/secrets/sightscreen/apns-key.p8 }", "does not read APNS_KEY_FILE"),
    ("value: /run/secrets/sightscreen/token-keys", "value: /tmp/token-keys", "TOKEN_KEY_FILE is no file of a secret"),
    ("              - { key: tls.key, path: tls.pem.key }", "              - { key: tls.key, path: other.key }", "proxy: reads no"),
    ("externalTrafficPolicy: Local", "externalTrafficPolicy: Cluster", "do not keep their addresses"),
    ("  clusterIP: None\n", "", "does not name its pods"),
    ("ports: [{ name: https, port: 443", "ports: [{ name: https, port: 8443", "HTTPRoute: there is no port 443 of a Service proxy"),
    ("name: PROXY_BACKENDS", "name: PROXY_BACKEND", "PROXY_BACKEND is no setting"),
    ("LOG_FORMAT: json", "LOG_FORM: json", "LOG_FORM is no setting"),
    ("replicas: 2", 'replicas: "2"', "not of Kubernetes"),
    ("minReadySeconds", "minimumReadySeconds", "not of Kubernetes"),
    ("readOnlyRootFilesystem: true", "readOnlyRootFilesystem: false", "not locked"),
    ("automountServiceAccountToken: false", "automountServiceAccountToken: true", "gets a token of the cluster"),
    ("limits: { memory: 1Gi }", "limits: { memory: 1Gi, cpu: 1 }", "stand still in bursts"),
    ("sightscreen/proxy:0.1.0", "haproxy:2.6", "is no image of proxy"),
    ("port: metrics-bus }", "port: metrics-coord }", "event-bus: readinessProbe"),
    ("metadata: { name: proxy, labels: { app.kubernetes.io/part-of: sightscreen } }\nspec:\n  maxUnavailable",
     "metadata: { name: other, labels: { app.kubernetes.io/part-of: sightscreen } }\nspec:\n  maxUnavailable", "no PodDisruptionBudget"),
]


def main():
    text = outbound.read("deploy/kubernetes/sightscreen.yaml")
    documents = list(yaml.safe_load_all(text))
    problems = list(problems_of(documents))
    for old, new, said in MISTAKES:
        found = list(problems_of(list(yaml.safe_load_all(text.replace(old, new, 1)))))
        if old not in text or not any(said in problem for problem in found):
            problems.append(f"not found: {new!r} ({said!r})")
    print(*problems, sep="\n", end="\n" if problems else "", file=sys.stderr)
    print(f"Kubernetes: {len(documents)} manifests of {' and '.join(VERSIONS)}, {len(MISTAKES)} planted mistakes, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
