# Takes the call's number and text from what a hook receives, without another process.
IFS= read -r -d '' in
n=${in#*'"number":'}; n=${n%%[!0-9]*}
t=${in#*'"text":"'}; t=${t%%'"'*}
