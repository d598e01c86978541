#!/usr/bin/python3
"""Whether sightscreen.yaml is what its page says: Tests/DeployTests/kubernetes.py

Reads the manifests with Debian's python3-yaml and holds every container to what an operator must not forget. It knows no schema of
Kubernetes: `kubectl apply --dry-run=server` does."""

import ipaddress
import os
import re
import sys

import yaml

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../deploy/kubernetes")
LOCKED = {
    "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]},
}
SERVICES = {"la-coordinator", "event-bus", "score-poller", "orchestrator", "api-gateway"}
# The cloud's own services, which give credentials to whoever asks, are among them.
PRIVATE = [ipaddress.ip_network(text) for text in
           ("10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7", "fe80::/10")]
# Those that reach each other through sockets.
TOGETHER = {"la-coordinator", "event-bus", "score-poller", "orchestrator"}


def settings():
    """Names in deploy/docs/settings.md."""
    with open(os.path.join(HERE, "../docs/settings.md"), encoding="utf-8") as file:
        return set(re.findall(r"`([A-Z][A-Z0-9_]+)`", file.read()))


def wrong_with_pod(kind, name, pod, known, shared):
    containers = pod["containers"]
    context = pod.get("securityContext", {})
    if not context.get("runAsNonRoot") or context.get("runAsUser") != 10001 or context.get("fsGroup") != 10001:
        yield "runs as somebody else than 10001"
    if context.get("seccompProfile") != {"type": "RuntimeDefault"}:
        yield "has no seccomp profile"
    if pod.get("automountServiceAccountToken") is not False:
        yield "gets a token of the cluster"
    volumes = {volume["name"] for volume in pod.get("volumes", [])}
    # By the names under which a pod sees them.
    secrets = {item["path"] for volume in pod.get("volumes", []) for item in volume.get("secret", {}).get("items", [])}
    ports = [port for container in containers for port in container.get("ports", [])]
    for key in ("containerPort", "name"):
        if len({port[key] for port in ports}) != len(ports):
            yield f"has a {key} twice: all containers of a pod share one address"
    for container in containers:
        what = container["name"]
        if container.get("securityContext") != LOCKED:
            yield f"{what}: not locked"
        if not container.get("resources", {}).get("limits", {}).get("memory") or not container["resources"].get("requests"):
            yield f"{what}: no requests, or no limit of memory"
        if "cpu" in container["resources"].get("limits", {}):
            yield f"{what}: a limit of processor time makes it stand still in bursts"
        env = {each["name"]: each for each in container.get("env", [])}
        for setting in set(env) | set(shared):
            plain = setting[:-5] if setting.endswith("_FILE") and setting not in known else setting
            if plain not in known:
                yield f"{what}: {setting} is no setting of deploy/docs/settings.md"
        for setting, each in env.items():
            folder, _, file = each.get("value", "").rpartition("/")
            if folder == "/run/secrets/sightscreen" and file not in secrets:
                yield f"{what}: {setting} names {file}, which is no item of a secret's volume"
        for mount in container.get("volumeMounts", []):
            if mount["name"] not in volumes:
                yield f"{what}: {mount['name']} is no volume of the pod"
        if kind != "Deployment":
            continue
        # Without it logs and leases would name a hash.
        if env.get("INSTANCE", {}).get("valueFrom", {}).get("fieldRef", {}).get("fieldPath") != "metadata.name":
            yield f"{what}: INSTANCE is not the pod's name"
        # name-<hash of ten>-<five>, of which INSTANCE takes 32.
        if len(name) + 17 > 32:
            yield f"{what}: the pods' names are too long for INSTANCE"
        if env.get("HEALTH_PORT", {}).get("value") not in {str(port["containerPort"]) for port in container["ports"]}:
            yield f"{what}: HEALTH_PORT is none of its ports"
        for probe in ("readinessProbe", "livenessProbe"):
            port = container.get(probe, {}).get("httpGet", {}).get("port")
            if port not in {port["name"] for port in container["ports"] if str(port["containerPort"]) == env["HEALTH_PORT"]["value"]}:
                yield f"{what}: {probe} does not ask its health port"
        if {"name": "sockets", "mountPath": "/run/sightscreen"} not in container["volumeMounts"]:
            yield f"{what}: no sockets"
        # The volume itself is open to every user, which the services refuse.
        run = env.get("SIGHTSCREEN_RUN_DIR", {}).get("value") or shared.get("SIGHTSCREEN_RUN_DIR", "")
        if not run.startswith("/run/sightscreen/"):
            yield f"{what}: SIGHTSCREEN_RUN_DIR is no folder of its own in the volume of the sockets"


def wrong_with_policy(spec):
    """Whom the pods reach: named ports only, and of what everybody can reach by address nothing of a private network."""
    if set(spec.get("policyTypes", [])) != {"Ingress", "Egress"}:
        yield "does not bound both directions"
    for rule in spec.get("ingress", []) + spec.get("egress", []):
        if not rule.get("ports") or not (rule.get("from") or rule.get("to")):
            yield "a rule for every port, or for everybody"
        for block in (place["ipBlock"] for place in rule.get("to", []) if "ipBlock" in place):
            holes = {ipaddress.ip_network(text) for text in block.get("except", [])}
            for network in PRIVATE:
                if network.version == ipaddress.ip_network(block["cidr"]).version and \
                        network.subnet_of(ipaddress.ip_network(block["cidr"])) and not any(network.subnet_of(hole) for hole in holes):
                    yield f"{block['cidr']}: reaches {network}"


def main():
    with open(os.path.join(HERE, "sightscreen.yaml"), encoding="utf-8") as file:
        documents = list(yaml.safe_load_all(file))
    known = settings()
    shared = {}
    for document in documents:
        if document["kind"] == "ConfigMap":
            shared.update(document["data"])
    problems, places = [], {}
    for document in documents:
        kind, name = document["kind"], document["metadata"]["name"]
        if not document.get("apiVersion"):
            problems.append(f"{kind} {name}: no apiVersion")
        if kind == "NetworkPolicy":
            problems += [f"{kind} {name}: {problem}" for problem in wrong_with_policy(document["spec"])]
        pod = document.get("spec", {}).get("template", {}).get("spec")
        if pod is None:
            continue
        problems += [f"{kind} {name}: {problem}" for problem in wrong_with_pod(kind, name, pod, known, shared)]
        places.update({container["name"]: name for container in pod["containers"]})
        if kind == "Deployment":
            labels = document["spec"]["template"]["metadata"]["labels"]
            if not document["spec"]["selector"]["matchLabels"].items() <= labels.items():
                problems.append(f"{name}: its selector does not fit its pods")
            # A drain of 5 s, and what comes before it.
            if pod.get("terminationGracePeriodSeconds", 0) < 15:
                problems.append(f"{name}: too little time to end")
            if not any(other["kind"] == "PodDisruptionBudget" and other["metadata"]["name"] == name for other in documents):
                problems.append(f"{name}: no PodDisruptionBudget")
    if not any(document["kind"] == "NetworkPolicy" for document in documents):
        problems.append("there is no NetworkPolicy")
    if not SERVICES <= set(places):
        problems.append(f"missing: {SERVICES - set(places)}")
    elif len({places[service] for service in TOGETHER}) != 1:
        problems.append("what talks through sockets is not in one pod")
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"Kubernetes: {len(documents)} manifests, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
