#!/bin/sh
# install-database.sh ADDRESS PORT: a PostgreSQL of the shop's own, with the goods in it.
set -eu
address=$1 port=$2 place=/srv/shop/database
cd /

programs=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -n 1 || true)
if [ -z "$programs" ]; then
    apt-get install -y -qq postgresql >/dev/null
    programs=$(ls -d /usr/lib/postgresql/*/bin | tail -n 1)
fi
as_owner() { runuser -u postgres -- "$@"; }

mkdir -p "$place"
chown postgres "$place"
if [ ! -e "$place/data/PG_VERSION" ]; then
    as_owner "$programs/initdb" -D "$place/data" -A peer -E UTF8 --locale=C >/dev/null
    printf 'local all all peer\nhost shop shop all scram-sha-256\n' > "$place/data/pg_hba.conf"
fi
cat > "$place/data/postgresql.auto.conf" <<END
listen_addresses = '$address'
port = $port
unix_socket_directories = '$place'
END
printf '#!/bin/sh\nrunuser -u postgres -- %s/pg_ctl -D %s/data -m fast stop\n' "$programs" "$place" > "$place/stop"
chmod 755 "$place/stop"
[ ! -e "$place/data/postmaster.pid" ] || "$place/stop" >/dev/null
as_owner "$programs/pg_ctl" -D "$place/data" -l "$place/log" -w -s start || { tail -n 5 "$place/log" >&2; exit 1; }

ask() { as_owner psql -h "$place" -p "$port" -v ON_ERROR_STOP=1 -qAt "$@"; }
[ "$(ask postgres -c "select count(*) from pg_roles where rolname = 'shop'")" = 1 ] || ask postgres -c 'create role shop login'
ask postgres -v password="$(cat /srv/shop/password)" <<'END'
alter role shop password :'password';
END
[ "$(ask postgres -c "select count(*) from pg_database where datname = 'shop'")" = 1 ] || ask postgres -c 'create database shop owner shop'
ask shop <<'END'
create table if not exists goods (name text primary key);
alter table goods owner to shop;
END
while read -r good; do
    ask shop -v good="$good" <<'END'
insert into goods values (:'good') on conflict do nothing;
END
done < /srv/shop/goods
echo "ready at $address:$port"
