"""The library as a model, asked by the real `openai` client over a loopback server."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import openai
import pytest

from quire import Library
from quire.app.run_view import view_of
from quire.app.server import openai_format as form
from quire.app.server.keys import Keys
from quire.types import Answer, Box, Evidence, Question, Trajectory, Usage
from tests.app.conftest import FOLDS, FOLDS_AGAIN, copied, tell_of_folds
from tests.app.server.loopback import serving
from tests.ask.test_answer_format import deep, doubling
from tests.llm import server as model_server

ASKED = [{"role": "user", "content": "Why?"}]
KEYWORDS = ("text_bm25_en",)
JSON = {"Content-Type": "application/json"}
DOI = "What is the DOI of the paper 'Paper Boats: How Hull Folds Change Soaking Time'?"
GUIDE = Path(__file__).parents[3] / "docs" / "agents.md"
FLOAT = "How long does the keel boat float on heavy paper?"


@pytest.fixture(scope="module")
def folder(filled: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copied(filled, tmp_path_factory.mktemp("openai") / "library")


@pytest.fixture(scope="module")
def keys(folder: Path) -> Keys:
    return Keys(folder.parent / "home", folder)


@pytest.fixture(scope="module")
def address(folder: Path, keys: Keys) -> Iterator[str]:
    with serving(folder, keys, index__encoders=KEYWORDS) as served:
        yield served


@pytest.fixture(scope="module")
def client(address: str) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=f"{address}/v1", api_key="none") as made:
        yield made


def ask(client: openai.OpenAI, *texts: str, **options: Any) -> Any:
    """The completion of a conversation, the user's turn first and last."""
    roles = ("user", "assistant")
    messages: Any = [{"role": roles[n % 2], "content": text} for n, text in enumerate(texts)]
    return client.chat.completions.create(model="quire", messages=messages, **options)


def test_there_is_one_model(client: openai.OpenAI) -> None:
    assert [model.id for model in client.models.list()] == ["quire"]
    assert client.models.retrieve("quire").owned_by == "quire"
    with pytest.raises(openai.NotFoundError, match="use `quire`"):
        client.models.retrieve("gpt-4")


def test_an_answer_has_citations_that_open_the_page_at_the_box(client: openai.OpenAI, address: str) -> None:
    done = ask(client, DOI)
    message = done.choices[0].message
    assert message.content.startswith("10.5555/ksc.2024.001")
    cited = message.annotations[0].url_citation
    assert cited.url == f"{address}/read/{cited.paper}/1"
    assert cited.title == "Paper Boats: How Hull Folds Change Soaking Time, page 1"
    assert cited.url in message.content[cited.start_index : cited.end_index]
    assert cited.verified
    assert done.choices[0].finish_reason == "stop"
    assert (done.usage.total_tokens, done.usage.cost) == (0, 0)  # nobody was paid


def test_what_is_unsure_is_told_with_the_closest_passages(client: openai.OpenAI, address: str) -> None:
    message = ask(client, FLOAT).choices[0].message
    assert "not sure" in message.content
    cited = message.annotations[0].url_citation
    assert "Paper Boats" in cited.title
    assert cited.url.startswith(f"{address}/read/{cited.paper}/1?box=")
    nothing = ask(client, "Zzqx wvut?").choices[0].message
    assert "do not seem to speak of this" in nothing.content
    assert nothing.annotations == []


def test_an_answer_comes_in_pieces(client: openai.OpenAI) -> None:
    pieces = list(ask(client, DOI, stream=True, stream_options={"include_usage": True}))
    text = "".join(piece.choices[0].delta.content or "" for piece in pieces if piece.choices)
    assert text == ask(client, DOI).choices[0].message.content
    assert any(getattr(piece.choices[0].delta, "reasoning_content", "") for piece in pieces if piece.choices)
    assert any(getattr(piece.choices[0].delta, "annotations", None) for piece in pieces if piece.choices)
    assert [piece.choices[0].finish_reason for piece in pieces if piece.choices][-1] == "stop"
    assert pieces[-1].usage.total_tokens == 0
    assert len({piece.id for piece in pieces}) == 1


def test_a_follow_up_keeps_the_papers_of_the_answer_before(client: openai.OpenAI) -> None:
    before = ask(client, "What is the DOI of the paper 'Feeding Intervals and the Vigour of Rye Sourdough "
                         "Starters'?").choices[0].message.content  # fmt: skip
    after = ask(client, "What is its DOI?", before, "In which year was the paper published?")
    assert after.choices[0].message.content.startswith("2023")


def test_papers_and_a_schema_of_the_answer_can_be_given(client: openai.OpenAI) -> None:
    schema = {"type": "json_schema", "json_schema": {"name": "year", "schema": {"type": "integer"}}}
    options = {"extra_body": {"papers": ["paper-boats.pdf"]}, "response_format": schema}
    done = ask(client, "In which year was the paper published?", **options)
    assert json.loads(done.choices[0].message.content) == 2024
    assert done.choices[0].message.annotations


def test_what_clients_send_besides_is_tolerated(client: openai.OpenAI) -> None:
    answer = client.chat.completions.with_raw_response.create(
        model="quire",
        messages=[
            {"role": "system", "content": "You are a pirate."},
            {"role": "user", "content": [{"type": "text", "text": DOI}]},
        ],
        temperature=0.7, top_p=0.5, n=1, max_tokens=5, seed=1, user="ann", presence_penalty=0.1, tools=[],
        extra_body={"chat_id": "x", "options": {"num_ctx": 1}, "metadata": None},
    )  # fmt: skip
    assert "10.5555" in str(answer.parse().choices[0].message.content)
    passed = answer.headers["x-quire-passed-over"].split(", ")
    told = "system messages,temperature,top_p,max_tokens,seed,user,presence_penalty,chat_id,options".split(
        ","
    )
    assert sorted(passed) == sorted(told)
    plain = client.responses.with_raw_response.create(model="quire", input=DOI, instructions="Be brief.")
    assert plain.headers["x-quire-passed-over"] == "instructions"
    streamed = client.chat.completions.with_raw_response.create(
        model="quire", messages=[{"role": "user", "content": DOI}], stream=True
    )
    assert "x-quire-passed-over" not in streamed.headers
    zeros = client.chat.completions.with_raw_response.create(
        model="quire", messages=[{"role": "user", "content": DOI}], temperature=0, seed=0, store=False
    )
    assert zeros.headers["x-quire-passed-over"] == "seed, temperature"


@pytest.mark.parametrize("role", [["system"], {"a": 1}])
def test_a_role_that_is_none_is_passed_by(client: openai.OpenAI, role: Any) -> None:
    body = {"model": "quire", "messages": [{"role": role, "content": "x"}, {"role": "user", "content": DOI}]}
    done = client.post("/chat/completions", body=body, cast_to=openai.types.chat.ChatCompletion)
    assert "10.5555" in str(done.choices[0].message.content)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ({"messages": []}, "not empty"),
        ({"messages": [{"role": "assistant", "content": "hi"}]}, "question of the user"),
        ({"messages": [{"role": "user", "content": ""}]}, "question of the user"),
        ({"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}, "no pictures"),
        ({"messages": [{"role": "user", "content": "x" * 10_001}]}, "10000 characters"),
        ({"messages": [7]}, "list of messages"),
        ({"messages": [{"role": "user", "content": "Why?"}], "papers": "all"}, "list of names"),
        ({"messages": [{"role": "user", "content": "Why?"}], "response_format": {"type": "json_schema"}},
         "must be a schema"),
        ({"model": "gpt-4", "messages": [{"role": "user", "content": "Why?"}]}, "use `quire`"),
        ({"messages": ASKED, "n": 2}, "`n` is 1"),
        ({"messages": ASKED, "tools": [{"type": "function"}]}, "`tools` is not done"),
        ({"messages": ASKED, "tool_choice": "required"}, "`tool_choice` is not done"),
        ({"messages": ASKED, "logprobs": True}, "`logprobs` is not done"),
        ({"messages": ASKED, "stop": ["a"]}, "`stop` is not done"),
        ({"messages": ASKED, "modalities": ["audio"]}, "`modalities` is text"),
        ({"messages": ASKED, "response_format": {"type": "grammar"}}, "json_schema"),
        ([], "JSON object"),
    ],
)  # fmt: skip
def test_wrong_requests_are_refused_in_the_shape_of_openai(
    client: openai.OpenAI, body: Any, told: str
) -> None:
    with pytest.raises((openai.BadRequestError, openai.NotFoundError), match=told) as caught:
        client.post("/chat/completions", body=body, cast_to=object)
    assert caught.value.type
    assert caught.value.code


def test_a_list_is_told_as_its_words_and_no_query_as_reasoning(client: openai.OpenAI) -> None:
    wrote = "Who wrote the paper about sourdough starters?"
    assert ask(client, wrote).choices[0].message.content.startswith("Li Specimen, Maria Example")
    pieces = ask(client, wrote, stream=True)
    thought = "".join(getattr(p.choices[0].delta, "reasoning_content", "") or "" for p in pieces)
    assert thought
    assert "SELECT" not in thought
    schemaless = ask(client, wrote, response_format={"type": "json_object"}).choices[0].message.content
    assert json.loads(schemaless) == ["Li Specimen", "Maria Example"]


def test_a_step_is_told_in_words_never_as_its_query() -> None:
    call = {"name": "RetrieveFromDatabase", "arguments": {"sql": "SELECT 1"}}
    assert form.step_in_words({"thought": "", "call": call}) == "Looking things up in the tables.\n"
    assert form.step_in_words({"thought": "Look.", "call": call}) == "Look.\n"
    assert form.step_in_words({"thought": "", "call": None}) == ""


def test_responses_answer_with_citations_and_follow_each_other(client: openai.OpenAI, address: str) -> None:
    done = client.responses.create(model="quire", input=DOI, extra_body={"papers": ["paper-boats.pdf"]})
    assert done.output_text.startswith("10.5555/ksc.2024.001")
    said: Any = done.output[0]
    cited = said.content[0].annotations[0]
    assert cited.url == f"{address}/read/{cited.paper}/1"
    year = "In which year was the paper published?"
    after = client.responses.create(model="quire", input=year, previous_response_id=done.id)
    assert after.output_text.startswith("2024")
    typed: Any = {"format": {"type": "json_schema", "name": "year", "schema": {"type": "integer"}}}
    asked: Any = [{"role": "user", "content": year}]
    only = {"papers": ["paper-boats.pdf"]}
    told = client.responses.create(model="quire", input=asked, text=typed, extra_body=only)
    assert json.loads(told.output_text) == 2024
    bodies: Any = ({"input": []}, {"input": DOI, "tools": [{"type": "web_search"}]}, {"input": 5})
    for wrong in bodies:
        with pytest.raises(openai.BadRequestError):
            client.post("/responses", body=wrong, cast_to=object)
    with pytest.raises(openai.NotFoundError):
        client.responses.create(model="quire", input=DOI, previous_response_id="resp_20200101-000000-000000")


def test_a_response_comes_in_events(client: openai.OpenAI) -> None:
    with client.responses.stream(model="quire", input=DOI) as told:
        kinds = [event.type for event in told]
        done = told.get_final_response()
    assert (kinds[0], kinds[-1]) == ("response.created", "response.completed")
    assert "response.output_text.delta" in kinds
    assert done.output_text.startswith("10.5555/ksc.2024.001")
    after = client.responses.create(
        model="quire", input="In which year was it published?", previous_response_id=done.id
    )
    assert after.output_text.startswith("2024")
    wrong = {"papers": ["paper-boots.pdf"]}
    failed: Any = [*client.responses.create(model="quire", input=DOI, stream=True, extra_body=wrong)][-1]
    assert failed.type == "response.failed"
    assert "Did you mean" in failed.response.error.message


def test_texts_have_vectors(client: openai.OpenAI) -> None:
    near = client.embeddings.create(model="quire", input=["paper boats", "boats of paper", "rye sourdough"])
    one, two, three = (np.asarray(each.embedding) for each in near.data)
    assert one @ two > one @ three
    plain = client.embeddings.create(model="quire", input="paper boats", encoding_format="float")
    assert np.allclose(plain.data[0].embedding, one, atol=1e-6)
    for wrong in ([], [""], 5, ["a"] * 257):
        with pytest.raises(openai.BadRequestError, match="`input`"):
            client.post("/embeddings", body={"input": wrong}, cast_to=object)


def test_errors_of_the_library_have_their_hint_also_in_a_stream(client: openai.OpenAI) -> None:
    wrong = {"extra_body": {"papers": ["paper-boots.pdf"]}}
    with pytest.raises(openai.NotFoundError, match="Did you mean"):
        ask(client, DOI, **wrong)
    with pytest.raises(openai.APIError, match="Did you mean"):
        list(ask(client, DOI, stream=True, **wrong))


def test_what_would_go_unheard_or_cost_much_is_refused(client: openai.OpenAI) -> None:
    for body, said in (
        ({"paper": "paper-boats.pdf"}, "`papers`"),
        ({"response_format": _schema(doubling(20, {}))}, "unfolds"),
        ({"response_format": _schema(deep(900))}, "deep"),
        ({"response_format": _schema({"type": 5})}, "is none"),
    ):
        with pytest.raises(openai.APIStatusError, match=said) as refused:
            ask(client, DOI, extra_body=body)
        assert refused.value.status_code in (400, 422)
    with pytest.raises(openai.BadRequestError, match="10000 characters"):
        ask(client, "boats " * 2000)


def _schema(schema: dict[str, Any]) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}}


def test_half_a_letter_breaks_nothing(address: str) -> None:
    body = b'{"messages": [{"role": "user", "content": "boats \\ud800"}], "papers": ["\\udfff"]}'
    answer = httpx.post(f"{address}/v1/chat/completions", content=body, headers=JSON)
    assert answer.status_code in (200, 404)
    body = b'{"messages": [{"role": "user", "content": "boats \\ud800"}]}'
    assert httpx.post(f"{address}/v1/chat/completions", content=body, headers=JSON).status_code == 200


def test_a_key_needs_the_scope_to_ask(keys: Keys, address: str) -> None:
    reader = openai.OpenAI(base_url=f"{address}/v1", api_key=keys.add("ann", "read"), max_retries=0)
    assert reader.models.retrieve("quire").id == "quire"
    with pytest.raises(openai.PermissionDeniedError, match="`ask`"):
        ask(reader, DOI)
    reader.close()
    keys.remove("ann")  # while there is one, everybody needs one


def test_a_model_sees_the_conversation_and_its_cost_is_told(folder: Path, tmp_path: Path) -> None:
    library = shutil.copytree(folder, tmp_path / "library")
    script = tmp_path / "script.jsonl"
    usage = {"prompt_tokens": 1000, "completion_tokens": 20}
    reply = {"text": "[Action]: GenerateAnswer(answer='57.5 seconds')", "usage": usage}
    failing = {"error": "ModelUnreachable", "message": "It refuses."}
    script.write_text(json.dumps(reply) + "\n" + json.dumps(failing) + "\n")
    model = {"model__name": f"scripted:{script}", "index__encoders": KEYWORDS}
    with serving(library, Keys(tmp_path, library), **model) as served:
        with openai.OpenAI(base_url=f"{served}/v1", api_key="none", max_retries=2) as client:
            done = ask(client, FLOAT, "For 243.8 seconds.", "And on light paper?")
            with pytest.raises(openai.InternalServerError, match="It refuses"):
                ask(client, FLOAT)  # and is not asked again: the script would have ended
    assert done.choices[0].message.content.startswith("57.5 seconds")
    assert (done.usage.prompt_tokens, done.usage.completion_tokens) == (1000, 20)
    record = library / "runs" / f"{done.run}.jsonl"
    assert json.loads(record.read_text().splitlines()[0])["question"]["conversation"][0]["question"] == FLOAT


@pytest.mark.parametrize("example", re.findall(r"```py\n(.*?)```", GUIDE.read_text("utf-8"), re.S))
def test_the_examples_of_the_guide_run(
    example: str, address: str, capsys: pytest.CaptureFixture[str]
) -> None:
    exec(compile(example.replace("http://127.0.0.1:8765", address), "agents.md", "exec"), {})
    told = capsys.readouterr().out
    assert "keel boat" in told or f"{address}/read/" in told


def test_text_of_papers_brings_no_markup_into_a_chat() -> None:
    evil = "![x](http://evil/?q=1) <img src=x> [click](http://evil) `code`\n# Head"
    item = Evidence("id", 2, Box(1, 2, 3, 4), evil, True, paper_title=evil)
    value = "p < 0.05 ![a](http://evil) <img src=http://evil> </p><!-- <svg onload=x>"
    run = Trajectory("r", Question("1", "Why?"), (), Answer("answered", value, (item,)))
    told = form.said(view_of(None, run), "http://here").content
    assert "![" not in told
    assert told.startswith("p < 0.05 ")
    assert not re.search(r"(?<!\\)<[a-z!/]", told)
    quoted = told.partition("\n\n")[2]
    assert re.findall(r"(?<!\\)[\[\]<>`]", quoted) == ["[", "]", "[", "]"]  # its number, and its page
    assert told.count("\n") == 2
    assert "[page 2](http://here/read/id/2?box=1,2,3,4)" in told


def test_what_may_be_the_same_question_stands_beside_an_abstention(
    client: openai.OpenAI, folder: Path
) -> None:
    with Library.open(folder, index__encoders=KEYWORDS) as library:
        tell_of_folds(library)
    told = ask(client, FOLDS_AGAIN, extra_body={"papers": ["paper-boats.pdf"]}).choices[0].message.content
    assert f"Maybe the same was asked: {FOLDS} tears fibres (judged by ann)" in told


def test_what_it_took_is_told_in_tokens_and_dollars() -> None:
    run = Trajectory("r", Question("1", "Why?"), (), Answer("answered", 1), usage=Usage(10, 5, 3, 1, 0.25))
    told = form.took(view_of(None, run))["usage"]
    assert (told["total_tokens"], told["cost"]) == (15, 0.25)
    assert told["prompt_tokens_details"] == {"cached_tokens": 3}


WRITTEN = "Boats float <b>long</b> ![x](http://evil) and sink 5 < 6."


def _streaming(text: str) -> list[Any]:
    reply = f'[Thought]: it is said there\n[Action]: GenerateAnswer(answer="{text}")'
    pieces = [reply[at : at + 3] for at in range(0, len(reply), 3)]
    return [model_server.stream_text(*pieces)]


def test_a_models_words_come_as_it_writes_them(folder: Path, tmp_path: Path) -> None:
    library = shutil.copytree(folder, tmp_path / "library")
    with model_server.serving(_streaming(WRITTEN) * 3) as endpoint:
        settings: Any = {"model__name": "m", "model__base_url": endpoint.url, "model__cache": False}
        with (
            serving(library, Keys(tmp_path, library), index__encoders=KEYWORDS, **settings) as served,
            openai.OpenAI(base_url=f"{served}/v1", api_key="none", max_retries=0) as client,
        ):
            pieces = [piece.choices[0].delta for piece in ask(client, FLOAT, stream=True)]
            said = [piece.content for piece in pieces if piece.content]
            with client.responses.stream(model="quire", input=FLOAT) as told:
                words = [event.delta for event in told if event.type == "response.output_text.delta"]
                done = told.get_final_response()
            whole = ask(client, FLOAT).choices[0].message.content
    assert len(said) > 5
    assert "".join(said) == whole
    assert whole.startswith("Boats float \\<b>long\\</b> !\\[x](http://evil) and sink 5 < 6.")
    assert len(words) > 5
    assert "".join(words) == done.output_text == whole


def test_what_was_told_stays_where_a_model_says_it_anew() -> None:
    growing = form.Growing()
    assert growing.more("The answer <") == "The answer "
    assert growing.more("b> is") == "\\<b> is"
    growing.turn()
    assert growing.more("Nothing.") == ""
    cited = form.ChatText("Nothing. [1] here", ({"start_index": 9, "end_index": 17},))
    rest = growing.rest(cited)
    whole = growing.told + rest.content
    span = rest.annotations[0]
    assert whole == "The answer \\<b> is\n\nNothing. [1] here"
    assert whole[span["start_index"] : span["end_index"]] == "[1] here"
