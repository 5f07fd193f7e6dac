"""What happens to the stores and the cluster, one after the other. Each event says what it did; what it returns is put
right again when purchases go on."""
import processes


class Event:
    def __init__(self, name, strike, lasts=0, needs_cut=False):
        self.name = name
        # Takes the scene; returns what became of it, and the repair.
        self.strike = strike
        # How many seconds the fault stays, at least.
        self.lasts = lasts
        self.needs_cut = needs_cut


def kill_store(number):
    def strike(scene):
        store = scene.stores.all[number - 1]
        store.kill()
        return store.name, store.start
    return Event(f"kill -9 of store {number}", strike, lasts=2)


def _switch_over(scene):
    old = scene.cluster.primary()
    scene.cluster.switch_over(old)
    return f"{old.name} to {scene.cluster.primary(other_than=old).name}", None


def _kill_primary(scene):
    old = scene.cluster.primary()
    old.kill_database()
    return _successor(scene, old), old.start_patroni


def _freeze_primary(scene):
    old = scene.cluster.primary()
    old.freeze()
    return _successor(scene, old), old.thaw


def _cut_primary(scene):
    old = scene.cluster.primary()
    scene.network.cut(old.number)
    return _successor(scene, old), lambda: scene.network.heal(old.number)


def _kill_standby(scene):
    old = scene.cluster.synchronous_standby()
    old.kill_database()
    return old.name, old.start_patroni


def _kill_etcd_leader(scene):
    old = scene.cluster.etcd_leader()
    old.kill_etcd()
    processes.wait_until(
        lambda: any(node.is_etcd_leader() for node in scene.cluster.nodes if node is not old), "a leader of etcd", 60)
    return old.name, old.start_etcd


def _successor(scene, old):
    return f"{old.name} to {scene.cluster.primary(120, other_than=old).name}"


def freeze(seconds):
    return Event(f"SIGSTOP of the primary, {seconds} s", _freeze_primary, lasts=seconds)


KILL_PRIMARY = Event("kill -9 of the primary", _kill_primary)


def all_events():
    return [
        kill_store(1), kill_store(2), Event("planned switchover", _switch_over), KILL_PRIMARY, freeze(45),
        Event("the primary is cut off, 30 s", _cut_primary, lasts=30, needs_cut=True),
        Event("kill -9 of the synchronous standby", _kill_standby),
        Event("kill -9 of etcd's leader", _kill_etcd_leader),
    ]


def short_events():
    """Long enough that another node is promoted, and that the stores give up on the frozen one."""
    return [KILL_PRIMARY, freeze(25)]
