"""A server on loopback that answers as OpenML does, with recorded or generated responses."""

import hashlib
import io
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from xml.sax.saxutils import escape

import arff
import pandas as pd

API = "/api/v1/xml"
NAMESPACE = 'xmlns:oml="http://openml.org/openml"'


@dataclass
class Answer:
    """What the server says to one path; `cut` sends only so many of the bytes it announces."""

    body: bytes
    status: int = 200
    cut: int | None = None
    failures: int = 0  # so many 503 first
    before: Callable[[], None] = field(default=lambda: None)


class OpenMLServer:
    """Answers and a log of requests."""

    def __init__(self):
        self.answers: dict[str, Answer] = {}
        self.requests: list[str] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                path = self.path.split("?")[0]
                outer.requests.append(path)
                answer = outer.answers.get(path, UNKNOWN)
                answer.before()
                if answer.failures:
                    answer.failures -= 1
                    answer = Answer(b"<html>busy<br></html>", 503)
                self.send_response(answer.status)
                self.send_header("Content-Length", str(len(answer.body)))
                self.send_header("ETag", f'"{hashlib.md5(answer.body).hexdigest()}"')
                self.send_header("Last-Modified", "Fri, 20 Nov 2020 19:02:18 GMT")
                self.end_headers()
                if self.command == "GET":
                    self.wfile.write(answer.body[:answer.cut])

            do_HEAD = do_GET

            def log_message(self, *args):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.http.server_port}"
        Thread(target=self.http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def stop(self):
        self.http.shutdown()
        self.http.server_close()

    def add(self, path: str, body: str | bytes, **how) -> None:
        self.answers[path] = Answer(body.encode() if isinstance(body, str) else body, **how)

    def add_dataset(self, number: int, frame: pd.DataFrame, target: str | None, *,
                    kinds: dict[str, str], data: bytes | None = None, parquet: bytes | None = None,
                    form: str = "ARFF", md5: str | None = "", more: str = "") -> None:
        """Publish `frame`: description, features, qualities, ARFF (or `data`), perhaps Parquet."""
        data = to_arff(frame, kinds) if data is None else data
        md5 = hashlib.md5(data).hexdigest() if md5 == "" else md5
        file = f"/data/v1/download/{number}/data.arff"
        bucket = f"/datasets/0000/{number:04}/dataset_{number}.pq"
        tags = {
            "id": number, "name": f"generated-{number}", "version": 1,
            "description": "Generated.", "format": form, "licence": "CC0",
            "url": self.url + file, "default_target_attribute": target, "md5_checksum": md5,
            "parquet_url": None if parquet is None else self.url + bucket,
        }
        self.add(f"{API}/data/{number}", _element("data_set_description", tags, more))
        self.add(f"{API}/data/features/{number}", _features(kinds, frame))
        self.add(f"{API}/data/qualities/{number}", qualities(len(frame)))
        self.add(file, data)
        if parquet is not None:
            self.add(bucket, parquet)

    def add_table(self, table: tuple[pd.DataFrame, dict], target: str | None = "class",
                  **how) -> pd.DataFrame:
        """Publish the fixture `table` as dataset 5; return its rows."""
        frame, kinds = table
        self.add_dataset(5, frame, target, kinds=kinds, **how)
        return frame

    def add_suite(self, name: str, tasks: list[int], kind: str = "task") -> None:
        listed = "".join(f"<oml:task_id>{t}</oml:task_id>" for t in tasks)
        self.add(f"{API}/study/{name}", _element("study", {
            "id": 99, "alias": name, "main_entity_type": kind, "name": name, "description": "x",
            "status": "active", "creation_date": "2019-02-21", "creator": 1,
        }, f"<oml:tasks>{listed}</oml:tasks>" if tasks else ""))

    def add_task(self, number: int, dataset: int, target: str, regression: bool = False,
                 splits: str = "none") -> None:
        self.add(f"{API}/task/{number}", TASK.format(
            number=number, dataset=dataset, target=target, type_id=2 if regression else 1,
            splits=f"{self.url}/{splits}",
            type="Supervised Regression" if regression else "Supervised Classification"))


def qualities(n_rows: int) -> str:
    return (f"<oml:data_qualities {NAMESPACE}><oml:quality><oml:name>NumberOfInstances</oml:name>"
            f"<oml:value>{n_rows}.0</oml:value></oml:quality></oml:data_qualities>")


def error(code: int, message: str) -> str:
    return (f"<oml:error {NAMESPACE}><oml:code>{code}</oml:code>"
            f"<oml:message>{message}</oml:message></oml:error>")


UNKNOWN = Answer(error(111, "Unknown dataset").encode(), 412)


def to_arff(frame: pd.DataFrame, kinds: dict[str, str]) -> bytes:
    def declared(name):
        if kinds[name] != "nominal":
            return {"numeric": "REAL", "string": "STRING"}[kinds[name]]
        return list(dict.fromkeys(frame[name].dropna()))[::-1]

    rows = frame.astype(object).where(frame.notna(), None).to_numpy().tolist()
    return arff.dumps({"relation": "generated", "data": rows,
                       "attributes": [(name, declared(name)) for name in frame]}).encode()


def to_parquet(frame: pd.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.to_parquet(buffer)
    return buffer.getvalue()


def _element(name: str, tags: dict, more: str = "") -> str:
    inner = "".join(f"<oml:{t}>{escape(str(v))}</oml:{t}>" for t, v in tags.items()
                    if v is not None)
    return f"<oml:{name} {NAMESPACE}>{inner}{more}</oml:{name}>"


def _features(kinds: dict[str, str], frame: pd.DataFrame) -> str:
    features = []
    for index, (name, kind) in enumerate(kinds.items()):
        values = "".join(f"<oml:nominal_value>{escape(str(v))}</oml:nominal_value>"
                         for v in frame[name].dropna().unique()) if kind == "nominal" else ""
        features.append(f"<oml:feature><oml:index>{index}</oml:index>"
                        f"<oml:name>{escape(name)}</oml:name>"
                        f"<oml:data_type>{kind}</oml:data_type>{values}</oml:feature>")
    return f"<oml:data_features {NAMESPACE}>{''.join(features)}</oml:data_features>"


TASK = f"""<oml:task {NAMESPACE}><oml:task_id>{{number}}</oml:task_id>
<oml:task_type_id>{{type_id}}</oml:task_type_id><oml:task_type>{{type}}</oml:task_type>
<oml:input name="source_data"><oml:data_set><oml:data_set_id>{{dataset}}</oml:data_set_id>
<oml:target_feature>{{target}}</oml:target_feature></oml:data_set></oml:input>
<oml:input name="estimation_procedure"><oml:estimation_procedure>
<oml:type>crossvalidation</oml:type>
<oml:data_splits_url>{{splits}}</oml:data_splits_url>
<oml:parameter name="number_repeats">1</oml:parameter>
<oml:parameter name="number_folds">10</oml:parameter></oml:estimation_procedure></oml:input>
<oml:input name="evaluation_measures"><oml:evaluation_measures>
<oml:evaluation_measure>predictive_accuracy</oml:evaluation_measure></oml:evaluation_measures>
</oml:input></oml:task>"""
