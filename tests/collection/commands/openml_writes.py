"""OpenML's server on loopback, which takes tasks and studies and checks what it is sent."""

from email import message_from_bytes
from email.policy import HTTP
from urllib.parse import parse_qs
from xml.etree import ElementTree

OML = "{http://openml.org/openml}"
NS = 'xmlns:oml="http://openml.org/openml"'
API = "/api/v1/xml"
GOOD_KEY = "0123456789abcdef0123456789abcdef"


class Desk:
    """What has been accepted, and what goes wrong on request.

    Attributes
    ----------
    tasks, studies : dict of int to what was sent
    fail : dict of path to list
        For the next posts to a path: ``refuse``, ``silent`` (nothing is accepted, no answer) or
        ``lost`` (it is accepted, but the answer does not arrive).
    """

    def __init__(self, server):
        self.tasks, self.studies, self.fail, self.posts = {}, {}, {}, []
        desk = self

        def do_post(request):
            body = request.rfile.read(int(request.headers["Content-Length"]))
            desk.answer(request, body)

        server.http.RequestHandlerClass.do_POST = do_post

    def answer(self, request, body):
        path = request.path.removeprefix(API)
        fields = parsed(request.headers, body)
        self.posts.append(path)
        how = self.fail.get(path, []).pop(0) if self.fail.get(path) else ""
        if how == "refuse" or fields.get("api_key") != GOOD_KEY:
            return send(request, error(103, "Authentication failed"), 412)
        if how == "silent":
            return hang_up(request)
        made = {"/task/": self.task, "/study/": self.study}[path](fields)
        return hang_up(request) if how == "lost" else send(request, *made)

    def task(self, fields):
        sent = ElementTree.fromstring(fields["description"])
        said = {e.get("name"): e.text for e in sent.iter(f"{OML}input")}
        if said in self.tasks.values():
            same = next(n for n, known in self.tasks.items() if known == said)
            return error(614, f"Task already exists. - matched id(s): [{same}]"), 412
        number = 900 + len(self.tasks)
        self.tasks[number] = said
        return (f"<oml:upload_task {NS}><oml:id>{number}</oml:id></oml:upload_task>", 200)

    def study(self, fields):
        sent = ElementTree.fromstring(fields["description"])
        number = 300 + len(self.studies)
        self.studies[number] = {"tasks": [int(e.text) for e in sent.iter(f"{OML}task_id")],
                                "alias": sent.findtext(f"{OML}alias"),
                                "name": sent.findtext(f"{OML}name")}
        return (f"<oml:study_upload {NS}><oml:id>{number}</oml:id></oml:study_upload>", 200)


def error(code, message):
    return (f"<oml:error {NS}><oml:code>{code}</oml:code><oml:message>{message}</oml:message>"
            "</oml:error>")


def parsed(headers, body):
    kind = headers["Content-Type"]
    if kind.startswith("application/x-www-form-urlencoded"):
        return {k: v[0] for k, v in parse_qs(body.decode()).items()}
    whole = message_from_bytes(b"Content-Type: " + kind.encode() + b"\r\n\r\n" + body, policy=HTTP)
    return {part.get_param("name", header="content-disposition"): part.get_payload(
        decode=True).decode() for part in whole.iter_parts()}


def send(request, text, status=200):
    body = text.encode()
    request.send_response(status)
    request.send_header("Content-Length", str(len(body)))
    request.end_headers()
    request.wfile.write(body)


def hang_up(request):
    request.connection.close()
    request.close_connection = True
