"""Three nodes that agree on a primary."""
import subprocess

import configuration
import processes
from node import Node

COUNT = 3


class Cluster:
    def __init__(self, network, folder, programs, level, own):
        """`own` hands a folder to the user who runs PostgreSQL."""
        self._programs = programs
        self.nodes = []
        for number in range(1, COUNT + 1):
            place = folder / f"n{number}"
            place.mkdir()
            self.nodes.append(Node(number, COUNT, network, place, programs, level))
            own(place)

    def start(self):
        for node in self.nodes:
            node.start_etcd()
        processes.wait_until(lambda: any(node.is_etcd_leader() for node in self.nodes), "a leader of etcd", 60)
        for node in self.nodes:
            node.start_patroni()
        self.wait_until_whole(180)

    def members(self):
        """What the first node that answers knows about all of them."""
        for node in self.nodes:
            status, found = node.answer("/cluster")
            if status == 200:
                return {member["name"]: member for member in found["members"]}
        return {}

    def is_whole(self):
        """Whether all nodes run on one timeline, with a primary and a synchronous standby."""
        members = self.members()
        if len(members) < COUNT or any(member["state"] not in ("running", "streaming") for member in members.values()):
            return False
        roles = [member["role"] for member in members.values()]
        return (
            roles.count("leader") == 1 and "sync_standby" in roles
            and len({member.get("timeline") for member in members.values()}) == 1)

    def wait_until_whole(self, seconds=120):
        try:
            processes.wait_until(self.is_whole, "three nodes with a primary and a standby", seconds, pause=0.3)
        except processes.Failure as error:
            raise processes.Failure(f"{error}: {self.members()}") from None

    def primary(self, seconds=60, other_than=None):
        """The primary; when it is to be another one than before, a new one."""
        def find():
            return next((node for node in self.nodes if node is not other_than and node.is_primary()), None)
        return processes.wait_until(find, "a primary", seconds)

    def synchronous_standby(self):
        name = next((name for name, each in self.members().items() if each["role"] == "sync_standby"), None)
        found = next((node for node in self.nodes if node.name == name), None)
        if not found:
            raise processes.Failure("expected a synchronous standby, but there is none")
        return found

    def etcd_leader(self):
        return processes.wait_until(
            lambda: next((node for node in self.nodes if node.is_etcd_leader()), None), "a leader of etcd", 30)

    def switch_over(self, old):
        """A planned change of the primary, by Patroni's own program."""
        target = self.synchronous_standby()
        command = [self._programs.patronictl, "-c", str(old.folder / "patroni.yml"), "switchover", "--force",
                   self._programs.primary_option, old.name, "--candidate", target.name, configuration.NAME]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
        if done.returncode or "Successfully" not in done.stdout:
            raise processes.Failure(f"expected a switchover, but patronictl says: {done.stdout}")

    def address(self, user, password, database):
        """How the store names the database: all nodes, whichever is the primary."""
        hosts = ",".join(f"{node.address}:5432" for node in self.nodes)
        return f"postgres://{user}:{password}@{hosts}/{database}?target_session_attrs=read-write&sslmode=disable"

    def end(self):
        for node in self.nodes:
            node.end()
