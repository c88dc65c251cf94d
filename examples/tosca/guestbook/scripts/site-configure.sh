guests=$(python3 -c 'import sqlite3, sys; print(*(row[0] for row in sqlite3.connect(sys.argv[1]).execute("select name from guests")))' "$store") || exit 1
printf '<h1>%s</h1>\n<p>%s</p>\n' "$title" "$guests" > "$folder/index.html"
