#!/bin/sh
# open-website.sh ADDRESS PORT: starts the website anew with the settings beside it.
set -eu
address=$1 port=$2 place=/srv/shop/website
cp -L website.py "$place/website.py"
cat > "$place/stop" <<END
#!/bin/sh
[ ! -e $place/pid ] || kill "\$(cat $place/pid)" 2>/dev/null || true
rm -f $place/pid
END
chmod 755 "$place/stop"
"$place/stop"
cd /
setsid python3 "$place/website.py" "$place/settings.json" > "$place/log" 2>&1 < /dev/null &
echo $! > "$place/pid"
python3 - "$address" "$port" <<'END'
import sys, time, urllib.request
for _ in range(100):
    try:
        urllib.request.urlopen(f"http://{sys.argv[1]}:{sys.argv[2]}/", timeout=5).read()
        break
    except OSError:
        time.sleep(0.1)
else:
    sys.exit("the website does not answer: " + open("/srv/shop/website/log").read()[-500:])
END
echo "open at http://$address:$port"
