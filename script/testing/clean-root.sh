# Sourced by script/check-package and script/check-image: a clean Debian 12 in the folder $clean, and counted checks.
# They define fail, $work (a temporary folder), $clean, $program (empty for a release build) and $libraries (a list).
# shellcheck shell=bash disable=SC2154

failures=0 checks=0
# count: shows the lines of checks and counts them. Not in a pipe: a subshell's numbers would be lost.
count() {
  local line
  while IFS= read -r line; do
    echo "$line"
    case $line in
    'ok  '*) checks=$((checks + 1)) ;;
    FAIL*) checks=$((checks + 1)) failures=$((failures + 1)) ;;
    esac
  done
}

# check TEXT COMMAND...: one check on this machine; it fails when the command does, or prints anything.
check() {
  local text=$1 output result=ok
  shift
  output=$("$@" 2>&1) || result=FAIL
  [ -z "$output" ] || result=FAIL
  count <<<"$(printf '%-6s%s' "$result" "$text")"
  [ $result = ok ] || sed 's/^/        /' <<<"${output:-(no output)}"
}

# need_tools PACKAGE...: installs the Debian packages that are missing.
need_tools() {
  # dpkg-query succeeds, too, for a package that another one only suggests.
  dpkg-query -W -f='${Status}\n' "$@" 2>/dev/null | grep -c '^install ok installed$' | grep -qx $# ||
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

# linked FILE: the libraries that it loads, and those that they load.
linked() { ldd "$1" | sed -nE 's/.* => (\/[^ ]+) .*/\1/p'; }

# owner LIBRARY: its Debian package, or nothing. dpkg knows some in /lib, some in /usr/lib; both are one folder.
owner() { dpkg-query -S "$1" "/usr$1" "${1#/usr}" 2>/dev/null | sed -n '1s/: .*//p' || true; }

# foreign FILE: the libraries of no Debian package that it loads.
foreign() {
  local library
  while read -r library; do [ -n "$(owner "$library")" ] || echo "$library"; done < <(linked "$1")
}

# package_options: fills the list $package_options with the options of script/package for $program, and $libraries.
package_options() {
  package_options=()
  [ -n "$program" ] || return 0
  mapfile -t libraries < <(foreign "$program")
  package_options=(--program "$program")
  [ ${#libraries[@]} -eq 0 ] || package_options+=(--missing-libraries)
}

# in_root COMMAND...: runs it in the clean root; its output is shown only when it fails.
in_root() {
  DEBIAN_FRONTEND=noninteractive chroot "$clean" "$@" >"$work/root.log" 2>&1 ||
    { cat "$work/root.log" >&2; fail "failed in the clean root: $*"; }
}

# make_clean_root OPTION...: a clean Debian 12 from this machine's own mirror, with this machine's settings of apt.
make_clean_root() {
  local mirror
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Identifier: Packages' 'Codename: bookworm' 'Component: main' |
    sed -n 1p)
  [ -n "$mirror" ] || fail "expected bookworm in this machine's /etc/apt; apt-get update may help."
  debootstrap --variant=minbase "$@" bookworm "$clean" "$mirror" >"$work/debootstrap.log" 2>&1 ||
    { tail -n 20 "$work/debootstrap.log" >&2; fail "debootstrap failed"; }
  rm -f "$clean/etc/apt/sources.list"
  cp -a /etc/apt/{sources.list,sources.list.d,auth.conf.d,keyrings,trusted.gpg.d} "$clean/etc/apt/" 2>/dev/null || true
  apt-config dump Acquire >"$clean/etc/apt/apt.conf.d/90host"
  in_root apt-get update -qq
}

# copy_libraries: copies $libraries into the clean root. Their own needs are none of the package's dependencies.
copy_libraries() {
  [ ${#libraries[@]} -gt 0 ] || return 0
  local packages
  mapfile -t packages < <(linked "$program" | while read -r library; do owner "$library"; done | sort -u)
  echo "This is a build with ${#libraries[@]} libraries that Debian does not have; they are copied into the clean root."
  mkdir "$clean/usr/local/lib/missing"
  cp -L "${libraries[@]}" "$clean/usr/local/lib/missing/"
  echo /usr/local/lib/missing >"$clean/etc/ld.so.conf.d/missing.conf"
  in_root apt-get install -y -qq "${packages[@]}"
  in_root ldconfig
}

# show_result: the last lines; fails when a check failed.
show_result() {
  [ ${#libraries[@]} -eq 0 ] ||
    echo "Not checked, because of the copied libraries: that the package needs Debian's packages only."
  echo "$checks checks, $failures failed."
  [ "$failures" -eq 0 ]
}
