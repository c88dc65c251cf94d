kill "$(cat "$folder.pid")" && rm "$folder.pid"
