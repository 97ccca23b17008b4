#!/usr/bin/env bash
# Two nodes that share a folder over NFS, on one Debian machine of x86-64 where one is root.
#
#   tests/nfs/two_nodes.sh install        install Debian's packages, unless they are there; fails where this cannot work
#   tests/nfs/two_nodes.sh run FOLDER     run FOLDER/program.sh on both nodes at once, at most 150 s
#
# A node is a kernel in user space (User Mode Linux) with this machine's files, a /tmp of its own, and FOLDER/export over NFS 4.1
# from a server here (Ganesha): as /mnt/shared, and as /mnt/squashed with root squashed. FOLDER itself is /mnt/host, not over
# NFS. The program knows itself by $NODE, A or B; what it prints is in FOLDER/A.txt and FOLDER/B.txt, and its exit status in
# the last line. Processes, mounts and network are in namespaces, which end with this script.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../helpers/install_packages.sh"

readonly PATIENCE_S=150
PATH=$PATH:/usr/sbin:/sbin

install() {
    # A container often has neither.
    unshare --net --mount --pid --fork --mount-proc true
    [[ -c /dev/net/tun ]] || { echo 'there is no /dev/net/tun' >&2 && return 1; }
    hash linux.uml ganesha.nfsd mount.nfs insmod ip 2> /dev/null ||
        install_packages user-mode-linux nfs-ganesha nfs-ganesha-vfs nfs-common kmod iproute2
    # Where a processor has AMX, a node of Linux 6.1 cannot save its registers, and each process ends with SIGSEGV.
    local said
    said=$(timeout 20 linux.uml mem=256M root=/dev/root rootfstype=hostfs ro init=/bin/true con=null con0=null,fd:1 2>&1) || true
    if [[ $said == *'Attempted to kill init! exitcode=0x0000000b'* ]]; then
        echo 'User Mode Linux starts no process on this processor' >&2
        return 1
    fi
}

serve() {
    cat > "$FOLDER/ganesha.conf" << END
NFS_CORE_PARAM { Protocols = 4; Enable_NLM = false; Enable_RQUOTA = false; }
NFSv4 { Graceless = true; RecoveryRoot = $FOLDER/recovery; }
EXPORT { Export_Id = 1; Path = $FOLDER/export; Pseudo = /shared; Access_Type = RW; Squash = No_Root_Squash; FSAL { Name = VFS; } }
EXPORT { Export_Id = 2; Path = $FOLDER/export; Pseudo = /squashed; Access_Type = RW; Squash = Root_Squash; FSAL { Name = VFS; } }
END
    mkdir -p "$FOLDER/recovery"
    ganesha.nfsd -F -f "$FOLDER/ganesha.conf" -L "$FOLDER/ganesha.log" -p "$FOLDER/ganesha.pid" &
    for ((tenths = 0; tenths < 300; tenths++)); do
        grep -q 'NFS SERVER INITIALIZED' "$FOLDER/ganesha.log" 2> /dev/null && return
        sleep 0.1
    done
    cat "$FOLDER/ganesha.log" >&2
    return 1
}

start_node() {
    local number=$2
    ip tuntap add "tap$1" mode tap
    ip address add "10.99.$number.1/24" dev "tap$1"
    # The node's network takes no packets that are larger than a frame.
    ip link set "tap$1" up gso_max_segs 1 gso_max_size 1500
    timeout $PATIENCE_S linux.uml mem=1G root=/dev/root rootfstype=hostfs rw init="$SELF" umid="warpath$1" \
        con=null con0=null,fd:1 ssl=null "vec0:transport=tap,ifname=tap$1,depth=64" \
        "NODE=$1" "NUMBER=$number" "FOLDER=$FOLDER" > "$FOLDER/console$1.txt" 2>&1 &
}

# What a node's kernel starts.
boot() {
    local module modules
    export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
    mount -t proc proc /proc
    mount -t sysfs sysfs /sys
    hostname "node$NODE"
    modules=$(echo /usr/lib/uml/modules/*/kernel)
    for module in net/sunrpc/sunrpc fs/nfs_common/grace fs/lockd/lockd fs/netfs/netfs fs/fscache/fscache \
        net/dns_resolver/dns_resolver fs/nfs/nfs fs/nfs/nfsv4; do
        [[ ! -e $modules/$module.ko ]] || insmod "$modules/$module.ko"
    done
    ip link set lo up
    ip address add "10.99.$NUMBER.2/24" dev vec0
    ip link set vec0 up
    mount -t tmpfs tmpfs /mnt
    mkdir /mnt/{host,shared,squashed,tmp}
    mount --bind "$FOLDER" /mnt/host
    mount --bind /mnt/tmp /tmp
    for export in shared squashed; do
        mount -t nfs -o vers=4.1 "10.99.$NUMBER.1:/$export" /mnt/$export
    done
    (bash /mnt/host/program.sh; echo "status $?") > "/mnt/host/$NODE.txt" 2>&1
}

run() {
    serve
    start_node A 1
    local first=$!
    start_node B 2
    wait "$first" $!
}

# The kernel gives its process 1 the variables after its own options.
if [[ -v NODE && $$ == 1 ]]; then
    (boot) || true
    echo o > /proc/sysrq-trigger
    sleep 60
fi
SELF=$(realpath "$0")
case "${1:-} $#" in
    "install 1") install ;;
    "run 2") exec unshare --net --mount --pid --fork --kill-child --mount-proc "$SELF" inside "$(realpath "$2")" ;;
    "inside 2") FOLDER=$2 && ip link set lo up && run ;;
    *) sed -n '2,10s/^# \?//p' "$0" >&2 && exit 2 ;;
esac
