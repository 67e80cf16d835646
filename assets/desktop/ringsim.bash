# Completion of ringsim for bash: commands, options and their words, as the program's own table names them.
_ringsim() {
    local program=$1 word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
    COMPREPLY=($(compgen -W "$(LC_ALL=C "$program" --help table 2>/dev/null |
        awk -F '\t' -v at="$COMP_CWORD" -v word="$word" -v before="$before" -v command="$command" '
            $1 == "command" { names[n++] = $2; if ($2 == command) known = command }
            $1 == "option" { takes[$2, n_takes[$2]++] = $4; words[$2, $4] = words[$2, $3] = $5 }
            END {
                if (at == 1 && word !~ /^-/) { for (i = 0; i < n; i++) print names[i]; exit }
                if (known == "") known = "run"
                if (word ~ /^-/) { for (i = 0; i < n_takes[known]; i++) print takes[known, i]; exit }
                n = split(words[known, before], word_of, "|")
                for (i = 1; n > 1 && i <= n; i++) if (word_of[i] ~ /^[a-z0-9_-]+$/) print word_of[i]
            }')" -- "$word"))
}
complete -o default -F _ringsim ringsim
