#!/bin/sh
# count-goods.sh PORT
set -eu
cd /
exec runuser -u postgres -- psql -h /srv/shop/database -p "$1" -qAt shop -c 'select count(*) from goods'
