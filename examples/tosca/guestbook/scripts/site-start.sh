setsid python3 -m http.server "$port" --bind 127.0.0.1 --directory "$folder" > "$folder.log" 2>&1 < /dev/null &
echo $! > "$folder.pid"
for attempt in 1 2 3 4 5 6 7 8 9 10; do
  python3 -c 'import sys, urllib.request; urllib.request.urlopen(sys.argv[1])' "http://127.0.0.1:$port/" 2> /dev/null && break
  sleep 0.2
done
url="http://127.0.0.1:$port/"
