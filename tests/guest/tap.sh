# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Reports tests in TAP.  To be read with '.' by tests/guest/test-*.sh, which set
# 'scratch' to a folder of their own and end with tap_end().

tap_n=0
tap_failed=0

# Prints what more there is to say of a test that failed, to be defined anew.
tap_explain() {
    :
}

# Reports test '$1': it passed if the command that follows succeeds.  If it
# fails, shows the end of what that printed and of what tap_explain() prints.
check() {
    local title=$1
    shift
    tap_n=$((tap_n + 1))
    # The caller sets it.
    # shellcheck disable=SC2154
    if "$@" > "$scratch/tap" 2>&1; then
        echo "ok $tap_n - $title"
    else
        tap_failed=$((tap_failed + 1))
        echo "not ok $tap_n - $title"
        tail -n 30 "$scratch/tap" | sed 's/^/# /'
        tap_explain | tail -n 30 | sed 's/^/# /'
    fi
}

# Waits at most '$1' seconds for the command that follows to succeed.
wait_until() {
    local i limit=$1
    shift
    for ((i = 0; i < 10 * limit; i++)); do
        "$@" && return
        sleep 0.1
    done
    return 1
}

# Says how many tests there were.  Fails if one of them did.
tap_end() {
    echo "1..$tap_n"
    echo "# $((tap_n - tap_failed)) passed, $tap_failed failed"
    [ "$tap_failed" = 0 ]
}
