"""The client against a running service, and against what is none."""

import math
import socket
import subprocess
import sys
import threading

import numpy as np
import pytest

import novikoff as nk
from novikoff.errors import DataError, ParameterError
from novikoff.serve.client import RefusedRequestError, UnreachableServiceError
from tests.helpers.service import served


@pytest.fixture(scope="module")
def web(tmp_path_factory):
    folder = tmp_path_factory.mktemp("service") / "journal"
    with served(folder, "--rule", "perceptron", "--durability", "normal") as found:
        yield found


def test_the_protocol_through_the_client(web, tmp_path):
    with nk.Client(web.url) as client:
        asked = client.predict_one({"a": 1.0, "b": -2.0})
        assert asked.label in (-1, 1)
        revealed = client.reveal(asked.id, np.int64(1))
        assert (revealed.mistake, revealed.seen, revealed.repeated) == (asked.label != 1, 1, False)
        assert client.reveal(asked.id, 1).repeated
        assert client.learn_one({"a": -1.0}, -1, weight=2.0, id="mine").seen == 2
        assert client.learn_one({"a": -1.0}, -1, weight=2.0, id="mine").repeated
        assert client.predict_one({"a": 1.0}, keep=False).id is None
        state = client.state(margin=0.5)
        assert (state["seen"], state["pending"]) == (2, 0)
        (tmp_path / "model").write_bytes(client.model_file())
        assert nk.load(tmp_path / "model").predict_one({"a": 5.0}) in (-1, 1)


def test_batches_through_the_client(web):
    client = nk.Client(web.url)
    before = client.state()["seen"]
    rows = [({"a": float(k % 7 - 3), "c": 1.0}, 1 if k % 7 > 3 else -1) for k in range(1203)]
    assert [each.seen for each in client.learn_many(rows)][-1] == before + 1203
    asked = [*client.predict_many(x for x, _ in rows[:20])]
    revealed = [*client.reveal_many((each.id, 1) for each in asked)]
    assert revealed[-1].seen == before + 1223
    good, refused, other = client.learn_many([({"a": 1.0}, 1), ([1.0], 1), ({"a": 2.0}, 1)])
    assert isinstance(refused, RefusedRequestError)
    assert "knows its features by name" in str(refused)
    assert (good.seen, other.seen) == (before + 1224, before + 1225)
    client.close()


def test_what_is_refused_has_a_status_and_words(web):
    client = nk.Client(web.url, retries=0)
    other, nowhere = nk.Client(web.url, model="x y"), nk.Client(f"{web.url}/nothing")
    for act, status, words in (
        (lambda: client.learn_one({"a": 1.0}, "spam"), 422, "none of the classes"),
        (lambda: client.reveal("nobody", 1), 404, "it expired, or never was"),
        (other.state, 404, "no model"),
        (nowhere.state, 404, "/docs lists the routes"),
    ):
        with pytest.raises(RefusedRequestError, match=words) as error:
            act()
        assert error.value.status == status
    with pytest.raises(DataError, match="cannot be sent"):
        client.learn_one({"a": math.nan}, 1)
    with pytest.raises(DataError, match="was not kept"):
        client.reveal(client.predict_one({"a": 1.0}, keep=False).id, 1)
    for url in ("127.0.0.1:8642", "ftp://127.0.0.1", "http://"):
        with pytest.raises(ParameterError, match="expected a URL such as"):
            nk.Client(url)
    with pytest.raises(ParameterError, match="printable ASCII"):
        nk.Client(web.url, token="a\r\nb")
    for each in (client, other, nowhere):
        each.close()


def test_a_request_without_an_answer_is_sent_again_with_the_same_id(web):
    """A proxy takes the first request to the service, and loses its answer."""
    listener = socket.create_server(("127.0.0.1", 0))

    def proxy():
        for keep in (False, True):
            near, _ = listener.accept()
            with near, socket.create_connection(("127.0.0.1", web.port)) as far:
                request = near.recv(65536)
                while b"}" not in request:
                    request += near.recv(65536)
                host = f"Host: 127.0.0.1:{listener.getsockname()[1]}".encode()
                far.sendall(request.replace(host, b"Host: localhost\r\nConnection: close"))
                answer = b"".join(iter(lambda far=far: far.recv(65536), b""))
                if keep:
                    near.sendall(answer)

    thread = threading.Thread(target=proxy)
    thread.start()
    direct = nk.Client(web.url)
    before = direct.state()["seen"]
    with nk.Client(f"http://127.0.0.1:{listener.getsockname()[1]}") as client:
        answer = client.learn_one({"a": 3.0}, 1)
    thread.join(60)
    listener.close()
    assert (answer.repeated, answer.seen) == (True, before + 1)
    assert direct.state()["seen"] == before + 1
    direct.close()


def test_no_service_is_said_to_be_none():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(UnreachableServiceError, match="is the service running"):
        nk.Client(f"http://127.0.0.1:{port}", retries=1).state()


def test_the_client_needs_nothing_but_the_standard_library():
    text = "import novikoff as nk, sys; nk.Client; print({'numpy', 'starlette'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
