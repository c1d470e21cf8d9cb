# SPDX-License-Identifier: Apache-2.0
#
# Bash completion for ovs-bigtcp.

_ovs_bigtcp()
{
    local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
    local commands="status check watch path"
    local options="--help --version --json --timeout --target --db --color"
    local command= n=0 i candidates=

    # The command, and how many arguments of it there are before this word.
    for ((i = 1; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
        --timeout | -t | --target | --db | --color | --interval | --count)
            # Bash takes '=' for a word of its own.
            if [[ ${COMP_WORDS[i+1]} == "=" ]]; then
                ((i++))
            fi
            ((i++))
            ;;
        -*)
            ;;
        *)
            if [[ -z $command ]]; then
                command=${COMP_WORDS[i]}
            else
                ((n++))
            fi
            ;;
        esac
    done

    if [[ $previous == "=" ]]; then
        previous=${COMP_WORDS[COMP_CWORD-2]}
    fi
    if [[ $word == "=" ]]; then
        word=
    fi
    case $previous in
    --color)
        candidates="auto always never"
        ;;
    --timeout | -t | --target | --db | --interval | --count)
        ;;
    *)
        case $command:$n:$word in
        watch:*:-*)
            candidates="$options --interval --count"
            ;;
        *:-*)
            candidates=$options
            ;;
        :*)
            candidates=$commands
            ;;
        status:* | check:* | path:0:*)
            candidates=$(ovs-vsctl --timeout=2 list-br 2>/dev/null)
            ;;
        watch:0:*)
            candidates=$(ovs-vsctl --timeout=2 --format=table --no-headings \
                         --columns=name --data=bare find Interface \
                         2>/dev/null)
            ;;
        esac
        ;;
    esac
    COMPREPLY=($(compgen -W "$candidates" -- "$word"))
}

complete -F _ovs_bigtcp ovs-bigtcp
