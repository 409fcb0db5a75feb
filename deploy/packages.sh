#!/usr/bin/env bash
# Install the Debian packages that `make run` or `make test` needs; safe to run again, silent when all are there.
set -euo pipefail

run=(python3-venv fonts-dejavu-core)
test=(
  gnubg                                                          # opens the records that we write
  chromium fonts-noto-core                                       # opens the pages
  gcc-avr avr-libc binutils-avr                                  # builds the firmware
  simavr libsimavr-dev libelf-dev pkg-config build-essential     # runs it
  mosquitto                                                      # carries tables to a club
  poppler-utils                                                  # opens the marker sheet
)

case "${1:-}" in
  run) wanted=("${run[@]}") ;;
  test) wanted=("${run[@]}" "${test[@]}") ;;
  *) echo "usage: packages.sh run|test" >&2; exit 2 ;;
esac

missing=()
for package in "${wanted[@]}"; do
  # a Python that was not installed by Debian brings its own venv module
  if [ "$package" = python3-venv ] && python3 -c 'import ensurepip, venv' 2>/dev/null; then continue; fi
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "Please install as root: apt-get install ${missing[*]}" >&2; exit 1; }
  root=(sudo)
fi
echo "Installing: ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
"${root[@]}" apt-get -o DPkg::Lock::Timeout=500 update -qq
"${root[@]}" apt-get -o DPkg::Lock::Timeout=500 install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
