"""One node: etcd, Patroni, and the PostgreSQL that Patroni runs."""
import json
import pathlib
import signal
import subprocess
import urllib.error
import urllib.request

import configuration
import processes

USER = "postgres"


class Node:
    def __init__(self, number, count, network, folder, programs, level):
        self.number = number
        self.name = f"n{number}"
        self.address = network.address(number)
        self.folder = folder
        self._network = network
        self._programs = programs
        self._etcd_command = configuration.etcd(network, number, count, folder / "etcd")
        self._settings = folder / "patroni.yml"
        self._settings.write_text(configuration.patroni(network, number, count, folder, level))
        self.etcd = self.patroni = None
        self._frozen = set()

    def start_etcd(self):
        self.etcd = self._start(self._etcd_command, "etcd.log")

    def start_patroni(self):
        self.patroni = self._start([self._programs.patroni, str(self._settings)], "patroni.log")

    def _start(self, command, log):
        return processes.start(
            command, self.folder / log, USER, self._network.prefix(self.number), environment={"HOME": str(self.folder)})

    def postgres(self):
        """The ids of PostgreSQL's processes, of which the first was not started by Patroni's own process."""
        try:
            postmaster = int((self.folder / "data" / "postmaster.pid").read_text().split()[0])
        except (OSError, ValueError, IndexError):
            return set()
        # A killed server leaves its file, and the number may be in use again.
        return processes.family([postmaster]) if _runs(postmaster, self.folder / "data") else set()

    def database(self):
        """The ids of Patroni's processes and PostgreSQL's."""
        own = processes.family([self.patroni.pid]) if self.patroni and self.patroni.poll() is None else set()
        return own | self.postgres()

    def kill_database(self):
        """Patroni first: it would restart a server that was killed."""
        ids = self.database()
        processes.send(signal.SIGSTOP, [self.patroni.pid])
        processes.kill(ids | self.database())
        self.patroni.wait()

    def kill_etcd(self):
        self.etcd.kill()
        self.etcd.wait()

    def freeze(self):
        """Stops every process of the database. The kernel goes on to acknowledge what is sent to them."""
        self._frozen = self.database()
        processes.send(signal.SIGSTOP, self._frozen)

    def thaw(self):
        processes.send(signal.SIGCONT, self._frozen | self.database())
        self._frozen = set()

    def end(self):
        processes.kill(self.database())
        for each in (self.patroni, self.etcd):
            if each:
                each.kill()
                each.wait()

    def answer(self, path):
        """The status and the JSON of a question to Patroni; (0, None) when it says nothing."""
        try:
            with urllib.request.urlopen(f"http://{self.address}:8008{path}", timeout=2) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, None
        except (OSError, ValueError):
            return 0, None

    def is_primary(self):
        return self.answer("/primary")[0] == 200

    def is_etcd_leader(self):
        """etcd numbers its members; a leader is one whose own number is that of its leader."""
        command = ["etcdctl", f"--endpoints=http://{self.address}:2379", "--command-timeout=2s", "endpoint", "status",
                   "-w", "json"]
        done = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env={"ETCDCTL_API": "3", "PATH": "/usr/bin:/bin"})
        if done.returncode:
            return False
        status = json.loads(done.stdout)[0]["Status"]
        return status["leader"] == status["header"]["member_id"]

    def psql(self, sql, database="postgres"):
        """What a statement of the superuser prints, through the node's own socket."""
        done = subprocess.run(
            ["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-h", str(self.folder), "-U", configuration.SUPERUSER, "-d",
             database, "-c", sql],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode:
            raise processes.Failure(f"expected {self.name} to run a statement, but: {done.stderr.strip()}")
        return done.stdout.strip()


def _runs(process, folder):
    try:
        return pathlib.Path(f"/proc/{process}/cwd").resolve() == folder.resolve()
    except OSError:
        return False
