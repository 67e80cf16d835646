# Completion of ringsim for bash: commands, options and their words, as the program's own help names them.
_ringsim() {
    local program=$1 word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} words
    words=$(LC_ALL=C "$program" help 2>/dev/null | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
    if [[ $COMP_CWORD == 1 && $word != -* ]]; then
        COMPREPLY=($(compgen -W "$words" -- "$word"))
        return
    fi
    [[ $'\n'$words$'\n' == *$'\n'$command$'\n'* ]] || command=run
    if [[ $word == -* ]]; then
        words=$(LC_ALL=C "$program" help "$command" 2>/dev/null | sed -n 's/^  \(-[a-z], \)\{0,1\}\(--[a-z-]*\).*/\2/p')
    else
        words=$(LC_ALL=C "$program" help "$command" 2>/dev/null | sed -n "s/^  \(-[a-z], \)\{0,1\}$before \([^ ]*|[^ ]*\).*/\2/p" |
            tr '|' '\n' | grep -x '[a-z0-9_-]*')
    fi
    COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _ringsim ringsim
