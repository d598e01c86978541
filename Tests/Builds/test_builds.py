"""What builds are held to: commits of packages, versions of base images, and the bill of materials of a release.

    python3 -B -m unittest discover --start-directory Tests/Builds

Neither network nor Swift is needed, but gcc: packages are git repositories beside a copy of the tools, and docker is a script."""

import json
import os
import re
import shutil
import stat
import subprocess
import tempfile
import unittest

TOP = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
# Swift's versions have three numbers, those of others two.
FULL_VERSION = r"(swift:\d+\.\d+|(?!swift)[a-z]+:\d+)\.\d+(-[a-z-]+)?(@sha256:[0-9a-f]{64})?"


def read(path, top=TOP):
    with open(os.path.join(top, path), encoding="utf-8") as file:
        return file.read()


def wrong_with_images(text):
    """Each ARG is a full version, and each FROM such an ARG or an earlier stage."""
    images = dict(re.findall(r"^ARG (\w+_IMAGE)=(\S+)$", text.split("\nFROM ")[0], re.M))
    known = {f"${{{name}}}" for name, image in images.items() if re.fullmatch(FULL_VERSION, image)}
    for line in re.findall(r"^FROM .*$", text, re.M):
        words = line.split()
        if len(words) != 4 or words[1] not in known:
            yield line
        known.add(words[-1])


class SourceTests(unittest.TestCase):
    def test_every_image_is_of_a_full_version(self):
        text = read("deploy/Dockerfile")
        self.assertEqual(list(wrong_with_images(text)), [])
        for image in ("debian", "debian:latest", "debian:12-slim", "debian:12.15-slim@sha256:1234", "swift:6.3-bookworm"):
            self.assertTrue(list(wrong_with_images(re.sub("(debian:12|swift:6).*", image, text))), image)
        for line in ("FROM debian:12.15-slim AS other", "FROM debian", "FROM ${OTHER_IMAGE} AS other", "FROM runtime"):
            self.assertEqual(list(wrong_with_images(f"{text}\n{line}\n")), [line])

    def test_every_package_is_locked_and_those_of_the_manifest_at_their_version(self):
        versions = {}
        for line in read("deploy/swift-packages").splitlines()[1:]:
            self.assertRegex(line, r"^[a-z0-9-]+ (\d+\.){2}\d+ ([0-9a-f]{40}|-) https://github.com/\S+ (Apache-2.0|MIT|BSD-[23]-Clause)( WITH Swift-exception)?$")
            versions[line.split()[3]] = line.split()[1]
        pinned = re.findall(r'\.package\(\s*url: "([^"]+)"(?:,\s*exact: "([^"]+)")?', read("Package.swift"))
        self.assertGreater(len(pinned), 5)
        self.assertEqual({url: versions.get(url) for url, _ in pinned}, dict(pinned))

    def test_the_image_is_built_from_the_lock_alone_and_has_what_the_bill_asks_for(self):
        build, programs = read("deploy/Dockerfile").split("AS runtime")
        self.assertIn("    deploy/lock \\\n && swift build -c release --only-use-versions-from-resolved-file ", build)
        # An argument by which a layer is built must stand before it, and none before the packages, so that these are kept.
        self.assertRegex(build, r"(?s)apt-get install.*\nARG SIGHTSCREEN_COMMIT=\n.*RUN .*--build-id=0x636f6d6d6974\$SIGHTSCREEN_COMMIT")
        path = re.search(r'"(/[^"]+)Package.resolved"', read("deploy/sbom"))[1]
        self.assertIn(f"FROM runtime AS program\nCOPY --from=build /src/Package.resolved {path}\n", programs)
        for stage in re.split(r"^FROM ", programs, flags=re.M):
            self.assertTrue("/out/" not in stage or stage.startswith("program AS "), stage)

    def test_a_program_has_the_commit_that_the_linker_was_told_and_no_other(self):
        commit = "commit".encode().hex() + "56e38bb7" * 5
        source = """#include <errno.h>
            #include "shim.h"
            #include <stdio.h>
            int main(void) {
                unsigned char id[64];
                int count = clinux_build_id(id, sizeof id);
                for (int i = 0; i < count; i++) printf("%02x", id[i]);
            }"""
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "program")
            for flag, said in ((f"-Wl,--build-id=0x{commit}", commit), ("-Wl,--build-id=none", "")):
                for kind in ("-pie", "-no-pie"):
                    # Stripped, as programs are that are installed.
                    subprocess.run(
                        ["gcc", "-s", kind, flag, "-I", os.path.join(TOP, "Shared/C/CLinux"), "-x", "c", "-", "-o", program],
                        input=source, text=True, check=True)
                    self.assertEqual(subprocess.check_output([program], text=True), said, kind)


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = folder.name
        self.environment = {**os.environ, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null"}
        os.mkdir(self.path("deploy"))
        for tool in ("lock", "sbom", "Dockerfile"):
            shutil.copy(os.path.join(TOP, "deploy", tool), self.path("deploy", tool))

    def path(self, *parts):
        return os.path.join(self.top, *parts)

    def write(self, path, text):
        os.makedirs(os.path.dirname(self.path(path)), exist_ok=True)
        with open(self.path(path), "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(self.path(path), stat.S_IRWXU)

    def write_lock(self, *lines, addresses=None):
        addresses = addresses or self.path("packages")
        self.write("deploy/swift-packages", "# comment\n" + "".join(
            f"{name} {version} {commit} {addresses}/{name} MIT\n" for name, version, commit in lines))

    def run_tool(self, *command):
        return subprocess.run([self.path("deploy", command[0]), *command[1:]], env=self.environment, capture_output=True, text=True, check=False)


class LockTests(Folder):
    """`packages` are the packages' own addresses, `copies` have the same tags on commits of their own."""

    def setUp(self):
        super().setUp()
        pins = {}
        for place in ("packages", "copies"):
            for name, version in (("one", "1.0.0"), ("two", "0.3.2")):
                os.makedirs(self.path(place, name))
                self.git(place, name, "init", "-q")
                self.tag(place, name, version)
                pins[place, name] = (name, version, self.git(place, name, "rev-parse", "HEAD"))
        self.own = [pins["packages", "one"], pins["packages", "two"]]
        self.copied = [pins["copies", "one"], pins["copies", "two"]]

    def git(self, place, name, *arguments):
        identity = ["-c", "user.name=test", "-c", "user.email=test@example.com"]
        return subprocess.run(["git", "-C", self.path(place, name), *identity, *arguments], env=self.environment, check=True, capture_output=True,
                              text=True).stdout.strip()

    def tag(self, place, name, version):
        """On a new commit. One package has tags with a message, which are objects of their own."""
        self.git(place, name, "commit", "-q", "--allow-empty", "-m", f"{place} {version}")
        self.git(place, name, "tag", "-f", *(["-a", "-m", version] if name == "two" else []), version)

    def rewrite(self, address, instead):
        self.environment |= {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": f"url.{instead}.insteadOf", "GIT_CONFIG_VALUE_0": address}

    def lock(self):
        """What Package.resolved has then, or what is said when it ends the build."""
        done = self.run_tool("lock")
        self.assertEqual((done.returncode, done.stdout), (1 if done.stderr else 0, ""))
        pins = json.loads(read("Package.resolved", self.top))["pins"] if not done.stderr else []
        return done.stderr or [(pin["identity"], pin["state"]["version"], pin["state"]["revision"]) for pin in pins]

    def test_packages_are_of_the_commits_that_are_written_down_and_else_of_their_tags(self):
        self.write_lock(self.own[0], ("two", "0.3.2", "-"))
        self.assertEqual(self.lock(), self.own)
        os.rename(self.path("packages"), self.path("away"))
        self.assertEqual(self.lock(), self.own, "no package is asked again")
        self.write_lock(("one", "1.1.0", "-"), ("two", "0.3.2", "-"))
        self.assertIn("one: no tag 1.1.0", self.lock())

    def test_a_tag_that_was_moved_ends_the_build(self):
        for name, version, commit in self.own:
            self.write_lock((name, version, commit))
            self.tag("packages", name, version)
            self.assertRegex(self.lock(), f"{name}: the tag {version} at {self.path('packages', name)} was moved: .* has {commit}")
            self.assertFalse(os.path.exists(self.path("Package.resolved")))

    def test_copies_are_held_to_their_version_in_silence(self):
        self.rewrite(self.path("packages"), self.path("copies"))
        self.write_lock(*self.own)
        self.assertEqual(self.lock(), self.copied)
        self.write_lock(("one", "2.0.0", "-"), self.own[1])
        self.assertRegex(self.lock(), "^deploy/lock: one: no tag 2.0.0 [^\n]*\n$")
        # They excuse no other package, and are not taken for the packages' own later.
        self.rewrite(self.path("packages/two"), self.path("copies/two"))
        self.write_lock(("one", "1.0.0", "0" * 40), self.own[1])
        self.assertRegex(self.lock(), "^deploy/lock: one: the tag 1.0.0 [^\n]* was moved[^\n]*\n$")
        self.environment["GIT_CONFIG_COUNT"] = "0"
        self.write_lock(*self.own)
        self.assertEqual(self.lock(), self.own)

    def test_another_protocol_and_user_are_the_same_address(self):
        self.write("bin/ssh", '#!/bin/sh\nshift $(($# - 1))\ncd / && eval "$1"\n')
        self.environment |= {"GIT_SSH": self.path("bin/ssh"), "GIT_SSH_VARIANT": "simple"}
        for instead in ("git@host.test:", "ssh://git@host.test/"):
            self.rewrite("https://host.test/", instead)
            self.write_lock(self.own[0], addresses=f"https://host.test{self.path('packages')}")
            self.assertEqual(self.lock(), self.own[:1])
            self.write_lock(("one", "1.0.0", "0" * 40), addresses=f"https://host.test{self.path('packages')}")
            self.assertIn("was moved", self.lock())

    def test_what_is_recorded_is_what_git_fetches_from_the_packages_own_addresses(self):
        self.write_lock(("one", "1.0.0", "-"), ("two", "0.3.2", "-"))
        self.lock()
        self.assertEqual(self.run_tool("lock", "--record").returncode, 0)
        recorded = read("deploy/swift-packages", self.top)
        self.write_lock(*self.own)
        self.assertEqual(recorded, read("deploy/swift-packages", self.top))
        # A copy leaves what is known of the same version, and teaches nothing of another one.
        self.rewrite(self.path("packages"), self.path("copies"))
        self.write("Package.resolved", read("Package.resolved", self.top).replace("1.0.0", "1.1.0"))
        self.run_tool("lock", "--record")
        self.assertEqual(read("deploy/swift-packages", self.top), recorded.replace(" ".join(self.own[0]), "one 1.1.0 -"))


class BillTests(Folder):
    PACKAGES = [("one", "1.0.0", "1" * 40), ("two", "0.3.2", "2" * 40)]

    def bill(self, *command, built=(), locked=()):
        self.environment["PATH"] = self.path("bin") + ":" + os.environ["PATH"]
        self.write_lock(*(locked or self.PACKAGES), addresses="https://host.test/group")
        self.write("Package.resolved", json.dumps({"pins": [
            {"identity": name, "state": {"version": version, "revision": commit}} for name, version, commit in built or self.PACKAGES]}))
        self.write("bin/docker", f"""#!/bin/sh
            case "$*" in
            "run --rm --entrypoint cat image:1 /"*) cat {self.path('Package.resolved')} ;;
            "run --rm --entrypoint dpkg-query image:1 -W") printf "libpq5:amd64\\t1:15.20-0+deb12u1\\n" ;;
            *) exit 1 ;;
            esac""")
        return self.run_tool("sbom", *command)

    def test_it_names_the_packages_the_base_images_and_what_debian_has_in_the_image(self):
        bill = json.loads(self.bill("image:1").stdout)
        self.assertEqual((bill["bomFormat"], bill["specVersion"]), ("CycloneDX", "1.6"))
        images = [f"pkg:docker/{image.replace(':', '@')}" for image in re.findall(r"^ARG \w+_IMAGE=(\S+)$", read("deploy/Dockerfile"), re.M)]
        swift = ["pkg:swift/host.test/group/one@1.0.0", "pkg:swift/host.test/group/two@0.3.2"]
        self.assertEqual([each["bom-ref"] for each in bill["components"]], [*swift, *images, "pkg:deb/debian/libpq5@1%3A15.20-0%2Bdeb12u1"])
        self.assertEqual([each["purl"] for each in json.loads(self.bill().stdout)["components"]], swift)
        self.assertIn("image:2 has no answer", self.bill("image:2").stderr)

    def test_there_is_no_release_of_copies_nor_of_what_is_not_written_down(self):
        one = self.PACKAGES[0]
        for built, locked in (
            ([one, ("two", "0.3.2", "3" * 40)], None), ([one], None), (None, [one]),
            (None, [one, ("two", "0.3.2", "-")]), (None, [one, ("two", "0.3.3", "2" * 40)]),
        ):
            done = self.bill("image:1", built=built, locked=locked)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertRegex(done.stderr, "^two: .*\nA release .*\n$")


if __name__ == "__main__":
    unittest.main()
