"""What builds are held to: versions of packages and of base images, the lock's Package.resolved, and the bill of materials.

    python3 -B -m unittest discover --start-directory Tests/Builds

Neither network nor Swift is needed: registries and packages are made up."""

import importlib.machinery
import importlib.util
import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest

TOP = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
APACHE = "Apache License\nVersion 2.0, January 2004\n"
EXCEPTION = APACHE + "## Runtime Library Exception to the Apache 2.0 License: ##\n"
MIT = "The MIT License\n\nPermission is hereby granted, free of charge, to any person\n"

sys.dont_write_bytecode = True


def load(name):
    loader = importlib.machinery.SourceFileLoader(name, os.path.join(TOP, "deploy", name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


images, sbom = load("images"), load("sbom")


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = folder.name
        os.mkdir(self.path("deploy"))

    def path(self, *parts):
        return os.path.join(self.top, *parts)

    def write(self, path, text):
        os.makedirs(os.path.dirname(self.path(path)), exist_ok=True)
        with open(self.path(path), "w", encoding="utf-8") as file:
            file.write(text)

    def read(self, path):
        with open(self.path(path), encoding="utf-8") as file:
            return file.read()

    def copy(self, *paths):
        for path in paths:
            shutil.copy(os.path.join(TOP, path), self.path(path))


class ImageTests(Folder):
    def test_every_image_has_a_full_version_and_every_stage_comes_from_one(self):
        self.assertEqual(list(images.problems()), [])
        self.assertEqual(
            sorted(images.parts(image)[0] for _, image in images.images()), ["debian", "postgres", "swift"])

    def test_an_image_without_a_full_version_is_found(self):
        for image in ("debian", "debian:latest", "debian:12-slim", "debian:bookworm-slim", "swift:6.3-bookworm", "postgres:15-bookworm",
                      "debian:12.15-slim@sha256:1234"):
            self.assertTrue(list(images.wrong_with_image(image)), image)
        for image in ("debian:12.15-slim", "swift:6.3.1-bookworm", "debian:12.15-slim@sha256:" + "0a" * 32):
            self.assertEqual(list(images.wrong_with_image(image)), [])

    def test_a_stage_of_something_else_is_found(self):
        text = images.read("deploy/Dockerfile")
        for line in ("FROM debian:12.15-slim AS other", "FROM debian", "FROM ${OTHER_IMAGE} AS other", "FROM runtime"):
            self.assertTrue(list(images.wrong_with_stages(f"{text}\n{line}\n")), line)
        unused = text.replace("ARG DEBIAN_IMAGE", "ARG OTHER_IMAGE=debian:12.15-slim\nARG DEBIAN_IMAGE")
        self.assertTrue(list(images.wrong_with_stages(unused)))

    def pin(self, docker):
        """--pin in a copy, with a docker that is this shell script."""
        self.copy("deploy/images", "deploy/Dockerfile", "compose.yaml")
        self.write("bin/docker", "#!/bin/sh\n" + docker)
        os.chmod(self.path("bin/docker"), stat.S_IRWXU)
        environment = {**os.environ, "PATH": self.path("bin") + ":" + os.environ["PATH"]}
        return subprocess.run([self.path("deploy/images"), "--pin"], env=environment, capture_output=True, text=True, check=False)

    def test_pin_writes_the_digest_behind_each_tag_and_unpin_takes_it_away(self):
        docker = 'for image; do :; done\nprintf "sha256:%s\\n" "$(printf %s "$image" | sha256sum | cut -d" " -f1)"\n'
        self.assertEqual(self.pin(docker).returncode, 0)
        self.assertEqual(list(images.problems(self.top)), [])
        digests = {images.parts(image)[2] for _, image in images.images(self.top)}
        self.assertEqual(len(digests), 3)
        self.assertNotIn("", digests)
        # Once more: the tag is asked for, not what was pinned before.
        before = self.read("deploy/Dockerfile")
        self.assertEqual(self.pin(docker).returncode, 0)
        subprocess.run([self.path("deploy/images"), "--pin"], env={**os.environ, "PATH": self.path("bin") + ":" + os.environ["PATH"]}, check=True,
                       capture_output=True)
        self.assertEqual(self.read("deploy/Dockerfile"), before)
        subprocess.run([self.path("deploy/images"), "--unpin"], check=True, capture_output=True)
        self.assertEqual(self.read("deploy/Dockerfile"), images.read("deploy/Dockerfile"))
        self.assertEqual(self.read("compose.yaml"), images.read("compose.yaml"))

    def test_without_a_registry_nothing_is_written(self):
        for docker in ("echo no such host >&2; exit 1\n", "echo latest\n", 'case "$*" in *postgres*) exit 1; esac\necho sha256:' + "0" * 64):
            done = self.pin(docker)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("registry does not say", done.stderr)
            self.assertEqual(self.read("deploy/Dockerfile"), images.read("deploy/Dockerfile"))


class LockTests(Folder):
    """With packages that are git repositories beside the copy."""

    def setUp(self):
        super().setUp()
        self.copy("deploy/lock")
        self.commits = {}
        for name, tags in {"swift-one": ["1.0.0", "1.1.0"], "two": ["0.3.2"]}.items():
            repository = self.path("packages", name)
            os.makedirs(repository)
            self.git(repository, "init", "-q")
            for tag in tags:
                self.git(repository, "commit", "-q", "--allow-empty", "-m", tag)
                # One with a message, which is an object of its own.
                self.git(repository, "tag", *(["-a", "-m", tag] if name == "two" else []), tag)
                self.commits[name, tag] = self.git(repository, "rev-parse", "HEAD")

    def git(self, repository, *arguments):
        identity = ["-c", "user.name=test", "-c", "user.email=test@example.com"]
        return subprocess.run(
            ["git", "-C", repository, *identity, *arguments], check=True, capture_output=True, text=True).stdout.strip()

    def lock(self, *lines):
        text = "# comment\n" + "".join(
            f"{name} {version} {commit} {self.path('packages', name)}\n" for name, version, commit in lines)
        self.write("deploy/swift-packages", text)

    def run_lock(self, *options):
        return subprocess.run([self.path("deploy/lock"), *options], capture_output=True, text=True, check=False)

    def pins(self):
        pins = json.loads(self.read("Package.resolved"))
        self.assertEqual(pins["version"], 3)
        return {pin["identity"]: (pin["state"]["version"], pin["state"]["revision"]) for pin in pins["pins"]}

    def test_commits_that_are_not_known_are_those_of_the_tags(self):
        self.lock(("swift-one", "1.0.0", "-"), ("two", "0.3.2", "-"))
        self.assertEqual(self.run_lock().returncode, 0)
        self.assertEqual(self.pins(), {
            "swift-one": ("1.0.0", self.commits["swift-one", "1.0.0"]), "two": ("0.3.2", self.commits["two", "0.3.2"])})

    def test_a_commit_that_is_known_stays_when_the_tag_moves(self):
        old, new = self.commits["swift-one", "1.0.0"], self.commits["swift-one", "1.1.0"]
        self.lock(("swift-one", "1.1.0", new))
        self.git(self.path("packages/swift-one"), "tag", "-f", "1.1.0", old)
        self.assertEqual(self.run_lock().returncode, 0)
        self.assertEqual(self.pins(), {"swift-one": ("1.1.0", new)})
        # With the tags alone it is said.
        os.remove(self.path("Package.resolved"))
        done = self.run_lock("--versions")
        self.assertEqual((done.returncode, self.pins()), (0, {"swift-one": ("1.1.0", old)}))
        self.assertIn("another commit", done.stderr)

    def test_a_version_that_is_not_there_ends_it(self):
        self.lock(("swift-one", "2.0.0", "-"), ("two", "0.3.2", "-"))
        for options in ([], ["--versions"]):
            done = self.run_lock(*options)
            self.assertEqual(done.returncode, 1)
            self.assertIn("swift-one 2.0.0", done.stderr)
            self.assertNotIn("two", done.stderr)
            self.assertFalse(os.path.exists(self.path("Package.resolved")))

    def test_versions_leaves_alone_what_has_the_versions(self):
        self.lock(("swift-one", "1.0.0", "-"))
        self.run_lock("--versions")
        os.rename(self.path("packages"), self.path("away"))
        self.assertEqual(self.run_lock("--versions").returncode, 0)
        self.lock(("swift-one", "1.1.0", "-"))
        self.assertEqual(self.run_lock("--versions").returncode, 1)

    def test_record_writes_the_file_that_gives_the_same(self):
        self.lock(("swift-one", "1.0.0", "-"), ("two", "0.3.2", "-"))
        self.run_lock()
        self.assertEqual(self.run_lock("--record").returncode, 0)
        self.assertIn(f"two 0.3.2 {self.commits['two', '0.3.2']} ", self.read("deploy/swift-packages"))
        before = self.read("Package.resolved")
        os.rename(self.path("packages"), self.path("away"))
        self.assertEqual(self.run_lock().returncode, 0, "no package is asked")
        self.assertEqual(self.read("Package.resolved"), before)
        # What was known stays known when nobody can be asked.
        self.assertIn("0 without a commit", self.run_lock("--record").stderr)


class PackageTests(unittest.TestCase):
    def test_every_package_of_the_manifest_is_exact_and_locked_at_that_version(self):
        pinned = sbom.pinned()
        self.assertGreater(len(pinned), 5)
        locked = {url: version for _, version, _, url in sbom.locked()}
        for url, version in pinned.items():
            self.assertEqual(locked.get(url), version, url)

    def test_the_image_is_built_from_the_lock_alone(self):
        text = images.read("deploy/Dockerfile")
        self.assertIn("COPY deploy/lock deploy/swift-packages deploy/\n", text)
        build = text[:text.index("AS runtime")]
        self.assertLess(build.index("    deploy/lock ${LOCK} \\\n"), build.index("swift build"))
        for line in build.splitlines():
            if "swift build" in line:
                self.assertIn("--only-use-versions-from-resolved-file", line)

    def test_a_commit_is_whole_or_not_known(self):
        for name, version, commit, url in sbom.locked():
            self.assertRegex(commit, "^([0-9a-f]{40}|-)$", name)
            self.assertRegex(url, "^https://github.com/", name)
            self.assertRegex(version, r"^\d+\.\d+\.\d+$", name)


class BillTests(Folder):
    """Of a build that is made up, with every package of the lock."""

    def setUp(self):
        super().setUp()
        self.licences = {name: APACHE for name, *_ in sbom.locked()} | {"swift-system": EXCEPTION, "swift-nio": MIT}
        state = []
        for name, version, _, url in sbom.locked():
            self.write(f"checkouts/{name}/LICENSE.txt", self.licences[name])
            os.makedirs(self.path("checkouts", name, "Sources", "Of" + name.replace("-", "")))
            state.append({
                "packageRef": {"identity": name, "kind": "remoteSourceControl", "location": url}, "subpath": name,
                "state": {"checkoutState": {"revision": "0" * 40, "version": version}}})
        state.append({"packageRef": {"identity": "client", "kind": "fileSystem"}, "state": {}, "subpath": "client"})
        self.state = state
        self.write("workspace-state.json", json.dumps({"object": {"dependencies": state}}))

    def run_sbom(self, *options):
        return subprocess.run(
            [os.path.join(TOP, "deploy/sbom"), "--scratch-path", self.top, *options], capture_output=True, text=True, check=False)

    def test_it_names_every_package_of_the_manifest_every_base_image_and_what_is_installed(self):
        done = self.run_sbom()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        bill = json.loads(done.stdout)
        self.assertEqual((bill["bomFormat"], bill["specVersion"]), ("CycloneDX", "1.6"))
        versions = {each["externalReferences"][0]["url"]: each["version"] for each in bill["components"] if "externalReferences" in each}
        for url, version in sbom.pinned().items():
            self.assertEqual(versions.get(url), version, url)
        names = {(each["type"], each["name"]) for each in bill["components"]}
        for each in [("container", "debian"), ("container", "swift"), ("library", "libpq5"), ("library", "haproxy"), ("library", "libssl3")]:
            self.assertIn(each, names)
        self.assertNotIn(("library", "libpq-dev"), names)
        refs = [each["bom-ref"] for each in bill["components"]]
        self.assertEqual(len(refs), len(set(refs)))
        self.assertEqual(len(bill["dependencies"][0]["dependsOn"]), len(sbom.pinned()))
        self.assertLessEqual(set(bill["dependencies"][0]["dependsOn"]), set(refs))
        self.assertEqual(self.run_sbom().stdout, done.stdout, "the same sources give the same file")

    def test_licences_are_known_by_their_texts(self):
        bill = json.loads(self.run_sbom().stdout)
        found = {each["name"]: each["licenses"] for each in bill["components"] if "licenses" in each}
        self.assertEqual(found["swift-nio"], [{"license": {"id": "MIT"}}])
        self.assertEqual(found["swift-system"], [{"expression": "Apache-2.0 WITH Swift-exception"}])
        self.assertEqual(found["swift-log"], [{"license": {"id": "Apache-2.0"}}])
        self.write("checkouts/swift-nio/NOTICE.txt", "The notice\n")
        texts = self.run_sbom("--licences").stdout
        self.assertEqual(texts.count(APACHE.strip() + "\n\n"), 1, "a text is printed once")
        self.assertIn("The notice", texts)
        self.write("checkouts/swift-log/LICENSE.txt", "All rights reserved\n")
        done = self.run_sbom()
        self.assertEqual((done.returncode, done.stderr), (1, "swift-log: no licence that is known by its text\n"))

    def test_what_no_program_links_is_excluded(self):
        self.write("any/release/api-gateway.product/Objects.LinkFileList", "'/x/release/Ofswiftnio.build/NIO.swift.o'\n/x/Other.build/a.o\n")
        self.write("any/release/fanout-lab.product/Objects.LinkFileList", "/x/release/Ofswiftcrypto.build/a.o\n")
        scopes = {each["name"]: each.get("scope") for each in json.loads(self.run_sbom().stdout)["components"]}
        self.assertEqual((scopes["swift-nio"], scopes["swift-crypto"]), ("required", "excluded"))

    def test_another_version_or_package_is_refused(self):
        self.state[1]["state"]["checkoutState"]["version"] = "0.0.1"
        self.state[0]["packageRef"]["identity"] = "newcomer"
        self.write("workspace-state.json", json.dumps({"object": {"dependencies": self.state}}))
        done = self.run_sbom()
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        for said in ("hummingbird: 2", "0.0.1 in the build", "newcomer: not in deploy/swift-packages"):
            self.assertIn(said, done.stderr)

    def test_the_packages_of_an_image_have_their_versions(self):
        self.write("packages", "libpq5:amd64\t15.20-0+deb12u1\nopenssl\t3.0.22-1~deb12u2\n")
        bill = json.loads(self.run_sbom("--debian", self.path("packages")).stdout)
        found = {each["purl"]: each["version"] for each in bill["components"] if each.get("group") == "debian"}
        self.assertEqual(found, {
            "pkg:deb/debian/libpq5@15.20-0%2Bdeb12u1": "15.20-0+deb12u1", "pkg:deb/debian/openssl@3.0.22-1~deb12u2": "3.0.22-1~deb12u2"})
        self.write("packages", "no list of packages\n")
        self.assertNotEqual(self.run_sbom("--debian", self.path("packages")).returncode, 0)


if __name__ == "__main__":
    unittest.main()
