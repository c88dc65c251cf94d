"""The website: one page with what the database has. website.py SETTINGS"""

import html
import json
import os
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

with open(sys.argv[1]) as file:
    SETTINGS = json.load(file)


def goods():
    place = ["-h", SETTINGS["database"], "-p", str(SETTINGS["databasePort"])]
    words = ["psql", *place, "-U", "shop", "-qAt", "shop", "-c", "select name from goods order by name"]
    variables = dict(os.environ, PGPASSWORD=SETTINGS["password"])
    return subprocess.run(words, env=variables, capture_output=True, text=True, check=True).stdout.split("\n")


class Page(BaseHTTPRequestHandler):
    def do_GET(self):
        items = "".join(f"<li>{html.escape(good)}</li>" for good in goods() if good)
        text = f"<!doctype html><title>{html.escape(SETTINGS['title'])}</title><ul>{items}</ul>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


ThreadingHTTPServer((SETTINGS["address"], int(SETTINGS["port"])), Page).serve_forever()
