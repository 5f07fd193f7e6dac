"""script/failover: an argument each for the program, the examples, Patroni and the form."""
import argparse
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import types

import events
import network
import processes
from audit import Audit
from balancer import Balancer
from cluster import Cluster
from course import Course
from journal import Journal
from load import Load
from node import USER
from report import Report
from stores import Stores

DATABASE, OWNER, PASSWORD = "store", "store", "only-for-this-test"


def main():
    options = arguments()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="failover-"))
    folder.chmod(0o711)  # PostgreSQL's user passes through
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        is_well = run(options, folder)
    except processes.Failure as error:
        print(f"script/failover: {error}", file=sys.stderr)
        is_well = False
    if is_well and not options.keep:
        shutil.rmtree(folder)
    else:
        print(f"Logs and the journal: {folder}", file=sys.stderr)
    return 0 if is_well else 1


def arguments():
    parser = argparse.ArgumentParser(prog="script/failover")
    parser.add_argument("--onside", required=True, help="the program")
    parser.add_argument("--examples", required=True, type=pathlib.Path)
    parser.add_argument("--patroni", required=True, help="the folder with Patroni's programs")
    parser.add_argument("--primary-option", default="--primary", help="what patronictl calls the old primary")
    parser.add_argument("--level", choices=("strict", "synchronous"), default="strict")
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--kills", type=int, help="kill the stores so often, in place of the events")
    parser.add_argument("--keep", action="store_true")
    return parser.parse_args()


def run(options, folder):
    patroni = pathlib.Path(options.patroni)
    programs = types.SimpleNamespace(
        patroni=str(patroni / "patroni"), patronictl=str(patroni / "patronictl"), primary_option=options.primary_option)
    nodes = network.suitable(3)
    cluster = stores = None
    try:
        cluster = Cluster(nodes, folder, programs, options.level, own)
        cluster.start()
        primary = cluster.primary()
        primary.psql(f"CREATE ROLE {OWNER} LOGIN PASSWORD '{PASSWORD}'")
        primary.psql(f"CREATE DATABASE {DATABASE} OWNER {OWNER}")
        stores = Stores(options.onside, options.examples, folder, cluster.address(OWNER, PASSWORD, DATABASE))
        stores.open()
        if nodes.can_cut:
            stores.require_mode()
        return buy(options, folder, nodes, cluster, stores)
    finally:
        if stores:
            stores.kill()
        if cluster:
            cluster.end()
        nodes.close()


def buy(options, folder, nodes, cluster, stores):
    """The events under load, and the comparison afterwards."""
    journal = Journal(folder / "journal")
    load = Load(options.clients, stores, journal)
    load.start()
    report = Report()
    course = Course(cluster, nodes, stores, load, journal, report)
    if options.kills:
        course.kill_stores(options.kills)
    else:
        course.run(events.short_events() if options.short else events.all_events())
    load.stop()
    audit = Audit(journal, load, stores, cluster.primary(), DATABASE)
    report.conclude(journal, audit, load.faults, Balancer.failures)
    stores.stop()
    return audit.is_clean() and not load.faults


def own(folder):
    if os.getuid() == 0:
        subprocess.run(["chown", "-R", f"{USER}:{USER}", str(folder)], check=True)
    folder.chmod(0o700)


if __name__ == "__main__":
    sys.exit(main())
