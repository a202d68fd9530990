"""OpenML's server on loopback, which takes flows, runs and studies and checks what it is sent."""

from email import message_from_bytes
from email.policy import HTTP
from urllib.parse import parse_qs
from xml.etree import ElementTree

import arff

OML = "{http://openml.org/openml}"
NS = 'xmlns:oml="http://openml.org/openml"'
API = "/api/v1/xml"
GOOD_KEY = "0123456789abcdef0123456789abcdef"


class Desk:
    """What has been accepted, and what goes wrong on request.

    Attributes
    ----------
    flows, runs, studies : dict of int to what was sent
    fail : dict of path to list
        For the next posts to a path: ``refuse``, ``silent`` (nothing is accepted, no answer) or
        ``lost`` (it is accepted, but the answer does not arrive).
    """

    def __init__(self, server):
        self.flows, self.runs, self.studies, self.fail, self.posts = {}, {}, {}, {}, []
        self.server, self.tasks = server, {}
        handler, desk = server.http.RequestHandlerClass, self
        get = handler.do_GET

        def do_post(request):
            body = request.rfile.read(int(request.headers["Content-Length"]))
            desk.answer(request, body)

        def do_get(request):
            path = request.path.split("?")[0]
            made = desk.listed(path) if "/run/list" in path or "/study/" in path else None
            if made is None:
                return get(request)
            send(request, *made)

        handler.do_POST, handler.do_GET = do_post, do_get

    def answer(self, request, body):
        path = request.path.removeprefix(API)
        fields = parsed(request.headers, body)
        self.posts.append(path)
        how = self.fail.get(path, []).pop(0) if self.fail.get(path) else ""
        if how == "refuse" or fields.get("api_key") != GOOD_KEY:
            return send(request, error(103, "Authentication failed"), 412)
        if how == "silent":
            return hang_up(request)
        made = {"/flow/exists": self.flow_exists, "/flow/": self.flow, "/run/": self.run,
                "/task/": self.task, "/study/": self.study}[path](fields)
        return hang_up(request) if how == "lost" else send(request, *made)

    def flow_exists(self, fields):
        found = [n for n, flow in self.flows.items()
                 if (flow["name"], flow["external_version"]) == (
                     fields["name"], fields["external_version"])]
        return (f"<oml:flow_exists {NS}><oml:exists>{bool(found)}</oml:exists>"
                f"<oml:id>{found[0] if found else -1}</oml:id></oml:flow_exists>", 200)

    def flow(self, fields):
        sent = ElementTree.fromstring(fields["description"])
        assert sent.tag == f"{OML}flow"
        number = 1000 + len(self.flows)
        self.flows[number] = {tag: sent.findtext(OML + tag) for tag in (
            "name", "external_version", "description", "class_name")}
        return (f"<oml:upload_flow {NS}><oml:id>{number}</oml:id></oml:upload_flow>", 200)

    def run(self, fields):
        sent = ElementTree.fromstring(fields["description"])
        predictions = arff.loads(fields["predictions"])
        number = 5000 + len(self.runs)
        self.runs[number] = {
            "task": int(sent.findtext(f"{OML}task_id")), "tag": sent.findtext(f"{OML}tag"),
            "flow": int(sent.findtext(f"{OML}flow_id")), "predictions": predictions}
        assert self.runs[number]["flow"] in self.flows
        return (f"<oml:upload_run {NS}><oml:run_id>{number}</oml:run_id></oml:upload_run>", 200)

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
        runs = [int(e.text) for e in sent.iter(f"{OML}run_id")]
        assert set(runs) <= set(self.runs)
        number = 300 + len(self.studies)
        self.studies[number] = {"tasks": [int(e.text) for e in sent.iter(f"{OML}task_id")],
                                "alias": sent.findtext(f"{OML}alias"), "runs": runs,
                                "name": sent.findtext(f"{OML}name")}
        return (f"<oml:study_upload {NS}><oml:id>{number}</oml:id></oml:study_upload>", 200)

    def listed(self, path):
        parts = path.removeprefix(f"{API}/").split("/")
        if parts[0] == "study":
            found = [n for n, s in self.studies.items() if s["alias"] == parts[1]]
            if not found:
                return None if f"{API}/study/{parts[1]}" in self.server.answers else (
                    error(600, "Unknown study"), 412)
            return (f"<oml:study {NS}><oml:id>{found[0]}</oml:id><oml:alias>{parts[1]}</oml:alias>"
                    "<oml:main_entity_type>run</oml:main_entity_type><oml:name>x</oml:name>"
                    "<oml:description>x</oml:description><oml:status>active</oml:status>"
                    "<oml:creation_date>2026</oml:creation_date><oml:creator>1</oml:creator>"
                    "</oml:study>", 200)
        asked = dict(zip(parts[2::2], parts[3::2], strict=False))
        found = [(n, r) for n, r in self.runs.items()
                 if (str(r["task"]), str(r["flow"]), r["tag"]) == (
                     asked["task"], asked["flow"], asked["tag"])]
        if not found:
            return error(512, "No results"), 412
        rows = "".join(
            f"<oml:run><oml:run_id>{n}</oml:run_id><oml:task_id>{r['task']}</oml:task_id>"
            f"<oml:setup_id>1</oml:setup_id><oml:flow_id>{r['flow']}</oml:flow_id>"
            "<oml:uploader>1</oml:uploader><oml:task_type_id>1</oml:task_type_id>"
            "<oml:upload_time>now</oml:upload_time><oml:error_message></oml:error_message>"
            "</oml:run>" for n, r in found)
        return f"<oml:runs {NS}>{rows}</oml:runs>", 200


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
