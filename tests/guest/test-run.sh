#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Tests tests/guest/run.  Prints TAP; exits with 1 if a test failed.
# GUEST_RUN names the runner to test, arguments are passed to it.

set -u

here=$(dirname "$(readlink -f "$0")")
run=${GUEST_RUN:-$here/run}
options=("$@")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export TMPDIR=$scratch/tmp      # What the runner leaves behind shows here.
mkdir "$TMPDIR" "$scratch/rw"

. "$here/tap.sh"
tap_explain() {
    cat "$scratch/err"
}

# Runs the runner with the arguments.  Leaves 'status', 'out' and 'err'.
guest() {
    "$run" "${options[@]}" "$@" > "$scratch/out" 2> "$scratch/err"
    status=$?
}

# Succeeds if no process names our folder in its arguments.
no_process() {
    local cmdline
    for cmdline in /proc/[0-9]*/cmdline; do
        if tr '\0' ' ' 2> /dev/null < "$cmdline" | grep -q "$TMPDIR/"; then
            return 1
        fi
    done
}

is_empty() {
    [ -z "$(ls -A "$1")" ]
}

all_of() {
    local condition
    for condition; do
        eval "$condition" || return 1
    done
}

# One boot for all that can be seen in one.
cat > "$scratch/many" <<'END'
#!/usr/bin/python3
import hashlib
import json
import os
import subprocess
import sys

rw, host, big = sys.argv[1:4]
facts = {"argv": sys.argv[4:], "cwd": os.getcwd(),
         "env": os.environ.get("GREETING"), "uid": os.getuid(),
         "home": os.environ["HOME"],
         "big": hashlib.sha256(open(big, "rb").read()).hexdigest(),
         "devices": sorted(os.listdir("/sys/class/net")),
         "run": os.listdir("/run"), "cpus": os.cpu_count()}

# Changes that must not reach the host.
with open(host + "/keep", "a") as stream:
    stream.write("changed")
os.remove(host + "/remove")
with open(host + "/new", "w") as stream:
    stream.write("new")
with open("/root/guest-run-test", "w") as stream:
    stream.write("new")

subprocess.run(["modprobe", "dummy"], check=True)
facts["modules"] = [line.split()[0] for line in open("/proc/modules")]

with open(rw + "/facts", "w") as stream:
    json.dump(facts, stream)
os.chmod(rw + "/facts", 0o640)

# Holds the output open after we have ended.
subprocess.Popen(["sleep", "600"])
for fd, name in ((1, "out"), (2, "err")):
    data = open(host + "/" + name, "rb").read()
    while data:
        data = data[os.write(fd, data):]
sys.exit(7)
END
chmod +x "$scratch/many"
mkdir "$scratch/host" "$scratch/host/dir with space"
echo keep > "$scratch/host/keep"
echo remove > "$scratch/host/remove"
head -c 3000001 /dev/urandom > "$scratch/host/out"
head -c 1000003 /dev/urandom > "$scratch/host/err"
head -c 30000000 /dev/urandom > "$scratch/big"
{ find "$scratch/host" | sort; cat "$scratch/host"/*; } 2> /dev/null |
    sha256sum > "$scratch/before"
rm -f /root/guest-run-test

"$run" "${options[@]}" true 2> "$scratch/err" || {
    sed 's/^/# /' "$scratch/err"
    echo "Bail out! no guest boots"
    exit 1
}
kernel=$("$run" "${options[@]}" uname -r 2> /dev/null)
# Whatever the module is called, its content is that of 'ifb'.
ifb=$(find "${XDG_CACHE_HOME:-$HOME/.cache}/openvswitch-bigtcp/kernel" \
          -path "*/$kernel/*" -name 'ifb.ko*' | head -n 1)
case $ifb in
*.xz) xz -dc "$ifb" > "$scratch/other.ko" ;;
*) cp "$ifb" "$scratch/other.ko" ;;
esac

newline='two
lines'
guest --timeout 100 --cwd "$scratch/host/dir with space" \
      --env "GREETING=it's \$HOME \"here\"" --rw "$scratch/rw" \
      --module-override "dummy=$scratch/other.ko" -- \
      "$scratch/many" "$scratch/rw" "$scratch/host" "$scratch/big" \
      "a b" "it's" '"q"' '$HOME `x` \n *' "$newline" "" --timeout $'\x80\xff'
check "exit status 7 comes back" [ "$status" = 7 ]
check "standard output, byte for byte" \
      cmp -s "$scratch/out" "$scratch/host/out"
check "standard error apart, byte for byte" \
      cmp -s "$scratch/err" "$scratch/host/err"
cat > "$scratch/fact" <<'END'
import json
import os
import sys
facts = json.load(open(sys.argv[1]))
sys.exit(not eval(sys.argv[2], {"os": os}, facts))
END
fact() {
    python3 "$scratch/fact" "$scratch/rw/facts" "$1"
}
check "a folder given with --rw is written, mode kept" \
      [ "$(stat -c %a "$scratch/rw/facts" 2> /dev/null)" = 640 ]
check "arguments pass intact" fact "argv == ['a b', \"it's\", '\"q\"',
    '\$HOME \`x\` \\\\n *', 'two\\nlines', '', '--timeout', '\\udc80\\udcff']"
check "--cwd" fact "cwd.endswith('/host/dir with space')"
check "--env" fact "env == 'it\\'s \$HOME \"here\"'"
check "root, its home, two CPUs" \
      fact "uid == 0 and home == '/root' and cpus == 2"
check "no network but lo" fact "devices == ['lo']"
check "/run is the guest's own" fact "set(run) <= {'lock', 'guest'}"
check "a large file reads right" \
      fact "big == '$(sha256sum < "$scratch/big" | cut -d ' ' -f 1)'"
check "--module-override" fact "'ifb' in modules and 'dummy' not in modules"
{ find "$scratch/host" | sort; cat "$scratch/host"/*; } 2> /dev/null |
    sha256sum > "$scratch/after"
check "the host's files are unchanged" all_of \
      'cmp -s "$scratch/before" "$scratch/after"' \
      '[ ! -e /root/guest-run-test ]'

guest --timeout 100 sh -c 'kill -9 $$'
check "a command killed by signal 9 gives 137" [ "$status" = 137 ]

guest /no/such/command
check "no such command gives 127" [ "$status" = 127 ]

guest --timeout 3 sh -c 'echo begun; printf more; sleep 1000'
check "the time limit gives 124 and what was printed" all_of \
      '[ "$status" = 124 ]' '[ "$(cat "$scratch/out")" = "begun
more" ]' 'grep -q "time limit of 3 s reached" "$scratch/err"'

guest --timeout 100 --console "$scratch/console" \
      sh -c 'echo before; sync; echo c > /proc/sysrq-trigger; sleep 1000'
check "a panic gives 125, is named and shown, and is not tried again" all_of \
      '[ "$status" = 125 ]' '[ "$(cat "$scratch/out")" = before ]' \
      'grep -q "panicked while the command ran" "$scratch/err"' \
      'grep -q "^| .*Kernel panic - not syncing: sysrq" "$scratch/err"' \
      'grep -q "sysrq triggered crash" "$scratch/console"' \
      '! grep -q "boot 1" "$scratch/err"'

mkdir "$scratch/bad"
head -c 100000 /dev/zero > "$scratch/bad/bzImage"
guest --accel tcg --kernel "$scratch/bad" true
check "a boot that fails is tried a bounded number of times" all_of \
      '[ "$status" = 125 ]' 'grep -q "boot 3 of at most 3" "$scratch/err"' \
      '! grep -q "boot 4" "$scratch/err"'

guest --kernel "$scratch/none" true
check "a kernel that is not there is named" all_of '[ "$status" = 125 ]' \
      'grep -q "$scratch/none" "$scratch/err"'
guest
check "no command is an error of usage" [ "$status" = 2 ]
guest --timeout 0 true
check "a time limit of 0 is an error of usage" [ "$status" = 2 ]
guest --module-override "dummy=$scratch/none.ko" true
check "a module that is not there is an error of usage" all_of \
      '[ "$status" = 2 ]' 'grep -q "none.ko" "$scratch/err"'

guest --icount --accel kvm true
check "--icount with KVM is an error of usage" [ "$status" = 2 ]
guest --icount=11 true
check "a shift of --icount that QEMU does not take is an error of usage" \
      [ "$status" = 2 ]

# Runs a command that takes a second or two, with the arguments, and stops the
# guest for 8 seconds meanwhile.  Succeeds if the command was not over then.
# Leaves the seconds that it took, by the guest's clock, in 'out'.
stopped_guest() {
    rm -f "$scratch/rw/begun" "$scratch/rw/end"
    "$run" "${options[@]}" "$@" --timeout 200 --rw "$scratch/rw" -- python3 -c '
import sys, time
open(sys.argv[1] + "/begun", "w").close()
begun = time.monotonic()
for i in range(5000000):
    pass
print(int(time.monotonic() - begun))
open(sys.argv[1] + "/end", "w").close()' "$scratch/rw" \
        > "$scratch/out" 2> "$scratch/err" &
    local pid=$! qemu over=no
    wait_until 120 [ -e "$scratch/rw/begun" ]
    qemu=$(cat "/proc/$pid/task/$pid/children")
    # It is one word.
    # shellcheck disable=SC2086
    kill -STOP $qemu
    sleep 8
    [ ! -e "$scratch/rw/end" ] || over=yes
    # shellcheck disable=SC2086
    kill -CONT $qemu
    wait "$pid"
    status=$?
    [ "$status" = 0 ] && [ "$over" = no ]
}
check "the guest's time goes on while the machine does other work" all_of \
      stopped_guest '[ "$(cat "$scratch/out")" -ge 8 ]'
check "with --icount it does not" all_of 'stopped_guest --icount' \
      '[ "$(cat "$scratch/out")" -lt 8 ]'

# Ends the runner with signal '$1' while its command runs.
interrupt() {
    rm -f "$scratch/rw/begun"
    "$run" "${options[@]}" --rw "$scratch/rw" -- \
        sh -c "touch $scratch/rw/begun; sleep 1000" \
        > "$scratch/out" 2> "$scratch/err" &
    local pid=$!
    wait_until 30 [ -e "$scratch/rw/begun" ]
    kill -"$1" "$pid"
    wait "$pid"
    status=$?
}
interrupt TERM
check "SIGTERM ends runner and guest" all_of '[ "$status" = 143 ]' no_process
check "nothing is left behind" all_of no_process 'is_empty "$TMPDIR"'
interrupt KILL 2> /dev/null
check "no guest outlives a runner killed with SIGKILL" \
      wait_until 30 no_process

tap_end
