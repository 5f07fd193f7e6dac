"""The network between the nodes: loopback addresses, or a network namespace for each node, which can be cut off."""
import os
import subprocess


class Loopback:
    """127.0.0.11 to 127.0.0.13 on one interface. No node can be cut off."""

    can_cut = False

    def address(self, number):
        return f"127.0.0.1{number}"

    def prefix(self, number):
        return []

    def close(self):
        pass


class Namespaces:
    """A namespace for each node on a bridge of this process's own namespace, which script/failover has made: nothing
    reaches the machine's network, and all of it ends with these processes."""

    can_cut = True
    PREFIX = "10.231.7."

    def __init__(self, count):
        # A process for each namespace keeps it in being.
        self._keepers = {}
        _ip("link", "add", "nodes", "type", "bridge")
        _ip("address", "add", f"{self.PREFIX}1/24", "dev", "nodes")
        _ip("link", "set", "nodes", "up")
        for number in range(1, count + 1):
            self._add(number)

    def _add(self, number):
        keeper = subprocess.Popen(
            ["unshare", "--net", "sh", "-c", "echo; exec sleep infinity"], stdout=subprocess.PIPE,
            stdin=subprocess.DEVNULL)
        keeper.stdout.readline()  # now it has its namespace
        self._keepers[number] = keeper
        outer, inner = f"node{number}", "uplink"
        _ip("link", "add", outer, "type", "veth", "peer", "name", inner, "netns", str(keeper.pid))
        _ip("link", "set", outer, "master", "nodes", "up")
        for command in (
            ["link", "set", "lo", "up"],
            ["address", "add", f"{self.address(number)}/24", "dev", inner],
            ["link", "set", inner, "up"],
        ):
            subprocess.run([*self.prefix(number), "ip", *command], check=True)

    def address(self, number):
        return f"{self.PREFIX}1{number}"

    def prefix(self, number):
        return ["nsenter", f"--net=/proc/{self._keepers[number].pid}/ns/net"]

    def cut(self, number):
        """Pulls the node's cable."""
        _ip("link", "set", f"node{number}", "down")

    def heal(self, number):
        _ip("link", "set", f"node{number}", "up")

    def close(self):
        for keeper in self._keepers.values():
            keeper.kill()
            keeper.wait()


def _ip(*arguments):
    subprocess.run(["ip", *arguments], check=True)


def suitable(count):
    """Namespaces where script/failover has made one to begin with, else loopback."""
    return Namespaces(count) if os.environ.get("FAILOVER_OWN_NETWORK") else Loopback()
