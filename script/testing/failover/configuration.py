"""The configuration of a node's etcd and Patroni, as docs/postgresql.md recommends it, with shorter times and without a
watchdog: a machine has one device for it, and here three nodes share it."""
import json

SUPERUSER, REPLICATION, REWIND = "postgres", "replicator", "rewind"
PASSWORD = "only-for-this-test"
BINARIES = "/usr/lib/postgresql/15/bin"
NAME = "store"


def etcd(network, number, count, folder):
    """The command of a node's etcd. Without --pre-vote a member that comes back would force an election."""
    address = network.address(number)
    members = ",".join(f"e{each}=http://{network.address(each)}:2380" for each in range(1, count + 1))
    return [
        "etcd", "--name", f"e{number}", "--data-dir", str(folder), "--pre-vote",
        "--listen-client-urls", f"http://{address}:2379", "--advertise-client-urls", f"http://{address}:2379",
        "--listen-peer-urls", f"http://{address}:2380", "--initial-advertise-peer-urls", f"http://{address}:2380",
        "--initial-cluster", members, "--initial-cluster-state", "new",
    ]


def patroni(network, number, count, folder, level):
    """The text of a node's patroni.yml: JSON is YAML."""
    address = network.address(number)
    return json.dumps({
        "scope": NAME,
        "name": f"n{number}",
        "restapi": {"listen": f"{address}:8008", "connect_address": f"{address}:8008"},
        "etcd3": {"hosts": ",".join(f"{network.address(each)}:2379" for each in range(1, count + 1))},
        "bootstrap": {
            "dcs": _shared(level),
            "initdb": [{"encoding": "UTF8"}, "data-checksums", {"locale": "C.UTF-8"}],
        },
        "postgresql": {
            "listen": f"{address}:5432",
            "connect_address": f"{address}:5432",
            "data_dir": f"{folder}/data",
            "bin_dir": BINARIES,
            "pgpass": f"{folder}/pgpass",
            "pg_hba": [
                "local all all trust", f"host all all {address}/24 scram-sha-256",
                f"host replication {REPLICATION} {address}/24 scram-sha-256",
            ],
            "authentication": {
                "superuser": {"username": SUPERUSER, "password": PASSWORD},
                "replication": {"username": REPLICATION, "password": PASSWORD},
                "rewind": {"username": REWIND, "password": PASSWORD},
            },
            # A folder for each node: the names of sockets are those of ports, which are equal.
            "parameters": {"unix_socket_directories": str(folder)},
        },
        "watchdog": {"mode": "off"},
    }, indent=2)


def _shared(level):
    """What Patroni keeps in etcd for all nodes."""
    return {
        # Short, so that the test is. Patroni 4 raises the ttl to 20.
        "ttl": 8, "loop_wait": 2, "retry_timeout": 3, "primary_start_timeout": 0,
        "synchronous_mode": True,
        "synchronous_mode_strict": level == "strict",
        "synchronous_node_count": 1,
        "postgresql": {
            "use_pg_rewind": True,
            "parameters": {
                "wal_log_hints": "on", "synchronous_commit": "on", "max_connections": 100, "max_wal_size": "256MB",
                "tcp_user_timeout": 3000, "tcp_keepalives_idle": 2, "tcp_keepalives_interval": 1,
                "tcp_keepalives_count": 3,
            },
        },
    }
