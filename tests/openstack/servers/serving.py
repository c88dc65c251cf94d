"""A WSGI application on a loopback port, each request in a thread. Read by the Python that holds OpenStack."""

from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True
    request_queue_size = 50


class Quiet(WSGIRequestHandler):
    def log_message(self, *words):
        pass


def serve(application, port):
    make_server("127.0.0.1", int(port), application, Server, Quiet).serve_forever()
