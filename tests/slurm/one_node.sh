#!/usr/bin/env bash
# A real Slurm of one node, on any Debian machine or container where one is root; it needs no systemd.
#
#   tests/slurm/one_node.sh install     install Debian's packages, unless they are there
#   tests/slurm/one_node.sh up          start it
#   tests/slurm/one_node.sh down        cancel its jobs, stop its daemons and remove its folder
#
#   ACCOUNTING=yes ...                  with a database of its jobs, an account `physics`, and a QOS `my_qos`, which the
#                                       partition with GPUs requires; `install` needs it, too
#
# It has a partition `cpu`, and a partition `gpu` whose GPUs are of the type h100; the node has the feature h100 as well.
# GPUs are empty files: Slurm grants and counts them, and nobody opens them. The node claims more cores and memory than it
# has, so that Slurm grants what the profile requests, to several tests at once. Keys, sockets, ports and logs are its own.
# Snakemake's jobs drop SLURM_CONF, so /etc/slurm/slurm.conf is a link while this Slurm is up; a machine that has a Slurm
# already is left alone.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../helpers/install_packages.sh"

readonly FOLDER=/run/warpath-slurm
readonly CORES=128
readonly GPUS=32
readonly PATIENCE_S=30
readonly LINK=/etc/slurm/slurm.conf
export SLURM_CONF=$FOLDER/slurm.conf
ACCOUNTING=${ACCOUNTING:-}
# Packages of daemons put them into folders that a user's PATH may leave out.
PATH=$PATH:/usr/sbin:/sbin

fail() {
    printf 'one_node.sh: error: %s\n' "$*" >&2
    exit 1
}

leave_a_slurm_alone() {
    [[ ! -e $LINK || $(readlink $LINK) == "$SLURM_CONF" ]] || fail "$LINK is there: this machine has a Slurm of its own"
}

install() {
    leave_a_slurm_alone
    local packages=(munge slurmctld slurmd slurm-client)
    local programs=(munged slurmctld slurmd sbatch)
    if [[ $ACCOUNTING ]]; then
        packages+=(slurmdbd mariadb-server)
        programs+=(slurmdbd mariadbd)
    fi
    hash "${programs[@]}" 2> /dev/null && return
    install_packages "${packages[@]}"
}

configure() {
    local node version
    node=$(hostname -s)
    head -c 1024 /dev/urandom > $FOLDER/munge.key
    chmod 400 $FOLDER/munge.key
    # config_overrides makes slurmd believe the numbers below. batch_sched_delay and sched_interval start a job at once.
    cat > $SLURM_CONF << END
ClusterName=warpath
SlurmctldHost=$node(127.0.0.1)
SlurmctldPort=16817
SlurmdPort=16818
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$FOLDER/munge.socket
CredType=cred/munge
StateSaveLocation=$FOLDER/state
SlurmdSpoolDir=$FOLDER/spool
SlurmctldPidFile=$FOLDER/slurmctld.pid
SlurmdPidFile=$FOLDER/slurmd.pid
SlurmctldLogFile=$FOLDER/slurmctld.log
SlurmdLogFile=$FOLDER/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerParameters=batch_sched_delay=1,sched_interval=5
GresTypes=gpu
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
JobAcctGatherParams=OverMemoryKill
ReturnToService=2
EnforcePartLimits=ALL
MinJobAge=3600
KillWait=5
SlurmdParameters=config_overrides
NodeName=$node NodeAddr=127.0.0.1 CPUs=$CORES CoresPerSocket=$CORES RealMemory=1048576 Gres=gpu:h100:$GPUS Feature=h100
PartitionName=cpu Nodes=$node Default=YES MaxTime=INFINITE State=UP
PartitionName=gpu Nodes=$node MaxTime=INFINITE State=UP ${ACCOUNTING:+AllowQos=my_qos}
END
    if [[ $ACCOUNTING ]]; then
        cat >> $SLURM_CONF << END
AccountingStorageType=accounting_storage/slurmdbd
AccountingStoragePort=16819
AccountingStorageHost=127.0.0.1
AccountingStoragePass=$FOLDER/munge.socket
AccountingStorageEnforce=associations,qos
END
    fi
    touch $(seq --format=$FOLDER/gpu%g 0 $((GPUS - 1)))
    echo "Name=gpu Type=h100 File=$FOLDER/gpu[0-$((GPUS - 1))]" > $FOLDER/gres.conf
    # From 23.11 on, slurmd asks for cgroups, which a container seldom has.
    version=$(slurmd -V | sed -E 's/[^0-9]*([0-9]+)\.([0-9]+).*/\1\2/')
    ((version < 2311)) || echo CgroupPlugin=disabled > $FOLDER/cgroup.conf
}

# A MariaDB of its own, in its folder, and slurmdbd in front of it.
account() {
    local database=(mariadb --no-defaults --socket=$FOLDER/mariadb.socket)
    cat > $FOLDER/slurmdbd.conf << END
AuthType=auth/munge
AuthInfo=socket=$FOLDER/munge.socket
DbdHost=localhost
DbdAddr=127.0.0.1
DbdPort=16819
SlurmUser=root
LogFile=$FOLDER/slurmdbd.log
PidFile=$FOLDER/slurmdbd.pid
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort=16820
StorageUser=slurm
StoragePass=slurm
END
    chmod 600 $FOLDER/slurmdbd.conf
    mariadb-install-db --no-defaults --user=root --datadir=$FOLDER/database --auth-root-authentication-method=normal \
        --skip-test-db > $FOLDER/install-db.log
    mariadbd --no-defaults --user=root --datadir=$FOLDER/database --socket=$FOLDER/mariadb.socket --port=16820 \
        --bind-address=127.0.0.1 --pid-file=$FOLDER/mariadbd.pid > $FOLDER/mariadbd.log 2>&1 &
    within_patience "${database[@]}" --execute="CREATE USER slurm@'127.0.0.1' IDENTIFIED BY 'slurm'"
    "${database[@]}" --execute="GRANT ALL ON slurm_acct_db.* TO slurm@'127.0.0.1'"
    slurmdbd
    within_patience sacctmgr --immediate --quiet add cluster warpath
    sacctmgr --immediate --quiet add account physics
    sacctmgr --immediate --quiet add qos my_qos
    sacctmgr --immediate --quiet add user root account=physics qos=normal,my_qos defaultqos=normal
}

# Repeat a command until it succeeds.
within_patience() {
    for ((tenths = 0; tenths < 10 * PATIENCE_S; tenths++)); do
        ! timeout 10 "$@" > /dev/null 2>&1 || return 0
        sleep 0.1
    done
    tail -n 20 $FOLDER/*.log >&2
    fail "after $PATIENCE_S s there is still no success with: $*; logs are above"
}

up() {
    leave_a_slurm_alone
    mkdir $FOLDER 2> /dev/null || fail "$FOLDER is there already, or cannot be made; 'down' removes it"
    # What fails from here on leaves no daemon.
    trap '(($? == 0)) || down' EXIT
    mkdir $FOLDER/state $FOLDER/spool
    configure
    mkdir -p ${LINK%/*} && ln -sfn $SLURM_CONF $LINK
    # --force: munged would rather not run as root.
    munged --force --socket=$FOLDER/munge.socket --key-file=$FOLDER/munge.key --pid-file=$FOLDER/munged.pid \
        --log-file=$FOLDER/munged.log --seed-file=$FOLDER/munge.seed 2> $FOLDER/munged.err
    [[ ! $ACCOUNTING ]] || account
    slurmctld
    slurmd -N "$(hostname -s)"
    within_patience bash -c '[[ $(sinfo --noheader --format=%T) == idle ]]'
}

down() {
    local daemon pid
    [[ -d $FOLDER ]] || return 0
    # Without its jobs' own ends, slurmstepd would outlive slurmd.
    timeout 10 scancel --user=root 2> /dev/null || true
    for ((tenths = 0; tenths < 100; tenths++)); do
        [[ $(timeout 5 squeue --noheader --states=RUNNING,COMPLETING 2> /dev/null) ]] || break
        sleep 0.1
    done
    # Nothing of it is kept, so the daemons need not tidy up.
    for daemon in slurmd slurmctld slurmdbd mariadbd munged; do
        pid=$(cat $FOLDER/$daemon.pid 2> /dev/null) && kill -KILL "$pid" 2> /dev/null || true
    done
    rm -rf $FOLDER
    [[ $(readlink $LINK) != "$SLURM_CONF" ]] || rm $LINK
}

case ${1:-} in
    install | up | down) "$1" ;;
    *) sed -n '2,9s/^# \?//p' "$0" >&2 && exit 2 ;;
esac
