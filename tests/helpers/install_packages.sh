# Sourced by the scripts that start services for tests: install_packages PACKAGE...
install_packages() {
    # With RUNLEVEL=1 the packages start no service.
    export DEBIAN_FRONTEND=noninteractive RUNLEVEL=1
    # Two tests may install at the same time, and apt-get waits for nobody who holds its lists.
    local alone=(flock /tmp/warpath-packages.lock)
    local apt_get=("${alone[@]}" apt-get -o DPkg::Lock::Timeout=120)
    # apt-get refuses to work after an installation that was interrupted.
    "${alone[@]}" dpkg --configure -a > /dev/null
    "${apt_get[@]}" update -qq && "${apt_get[@]}" install -y -qq --no-install-recommends "$@"
}
