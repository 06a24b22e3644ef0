#!/usr/bin/env python3
"""Makes the reference of the HTTP API from the OpenAPI document that the program prints.

    make_http_api.py PAGE PROGRAM            is PAGE what PROGRAM says?
    make_http_api.py --write PAGE PROGRAM    writes it
"""

import argparse
import difflib
import json
import pathlib
import re
import subprocess
import sys
from collections.abc import Iterator

INTRODUCTION = """\
# HTTP API

Every address of [`pawl serve`](cli.md#pawl-serve), with its parameters and its answer. [The API by
example](../guide/api.md) is the page to begin with. This page is made from the table of routes of the
program. The program prints the same as an [OpenAPI 3.1](https://spec.openapis.org/oas/v3.1.0) document
(`pawl schema openapi`), and the daemon serves it at `/api/v1/openapi.json`.

- **Signing in.** A program sends `Authorization: Bearer TOKEN`. A browser has the cookie of a session. Each
  address names the [right](../guide/people.md#say-who-is-who) that the caller needs.
- **Bodies** are JSON objects, sent with `Content-Type: application/json`. A member or a parameter that is
  unknown, missing or of the wrong type is refused, and all such faults are reported at once. `null` is the
  same as leaving the member out. An address that takes no body accepts an empty one.
- **Lists** take `limit` (100 rows unless it is given, at most 1,000 in a page of JSON) and `after`, the
  `next` of the page before. The answer is `{"<rows>": […], "next": "…" or null}`, and `total` where the list
  is counted. With `Accept: application/jsonl` or `Accept: text/csv` the answer has all rows, or as many as
  `limit` says.
- **Errors** are `{"error": {"code", "message", "help"}}` with one of these statuses:

| status | code | meaning |
|---|---|---|
| 400 | `invalid`, `malformed` | the request is wrong; the message names everything that is |
| 401 | `not_signed_in` | no token, or one that is unknown, expired or revoked |
| 403 | `forbidden` | the caller may not do this, or the request comes from a page of another site |
| 404 | `not_found` | no such address or record |
| 405 | `method_not_allowed` | the address does not take this method; `Allow` names those that it takes |
| 406, 415 | `not_acceptable`, `wrong_type` | the answer is not available in that form; the body must be JSON |
| 408, 413, 431 | `timeout`, `too_large` | the request was too slow or too large |
| 409 | `conflict`, `refused` | something has changed meanwhile, or the record does not allow this now |
| 421 | `wrong_host` | the service has another name: `public_url` of the [settings](serve.md) |
| 500 | `corrupt`, `internal` | the store is damaged, or there is a bug in pawl |
| 503 | `unavailable` | the store does not answer now; `Retry-After` says when to try again |
"""

METHODS = ("get", "post", "put", "patch", "delete")


def anchor(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", re.sub(r"[`*_]", "", heading).strip().lower()).replace(" ", "-")


def named(reference: str) -> str:
    return reference.rsplit("/", 1)[1]


def link(name: str) -> str:
    return f"[{name}](#{anchor(name)})"


def cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ").strip()


WORDS = {"string": "text", "integer": "integer", "number": "number", "boolean": "true or false",
         "object": "object", "null": "null"}


def type_of(schema: dict) -> str:
    """The type of a value in words."""
    if "$ref" in schema:
        return link(named(schema["$ref"]))
    for many in ("anyOf", "allOf"):
        if many in schema:
            return " or ".join(type_of(one) for one in schema[many])
    if "const" in schema:
        return f"`{json.dumps(schema['const'])}`"
    said = schema.get("type")
    if said is None:
        return "any JSON"
    types = said if isinstance(said, list) else [said]
    words = []
    for one in types:
        if one == "array":
            words.append("list of " + plural(type_of(schema.get("items", {}))))
        elif one == "string" and schema.get("format") == "date-time":
            words.append("time")
        elif one == "string" and schema.get("format") == "binary":
            words.append("bytes")
        else:
            words.append(WORDS[one])
    return " or ".join(words)


def plural(word: str) -> str:
    return {"text": "texts", "integer": "integers", "number": "numbers", "object": "objects",
            "time": "times"}.get(word, word)


def bounds_of(schema: dict) -> str:
    """The words and numbers that are allowed, as a sentence; empty: all."""
    if "enum" in schema:
        return "One of " + ", ".join(f"`{word}`" for word in schema["enum"] if word is not None) + "."
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        return f"{low:,} to {high:,}."
    if high is not None:
        return f"At most {high:,}."
    return ""


def meaning_of(schema: dict, about: str) -> str:
    parts = [about, bounds_of(schema)]
    if "enum" not in schema and "enum" in schema.get("items", {}):
        parts.append(bounds_of(schema["items"]))
    return cell(" ".join(part for part in parts if part))


def table(columns: list[str], rows: list[list[str]]) -> Iterator[str]:
    if not rows:
        return
    yield ""
    yield "| " + " | ".join(columns) + " |"
    yield "|" + "---|" * len(columns)
    for row in rows:
        yield "| " + " | ".join(row) + " |"


def parameters(operation: dict, is_list: bool) -> Iterator[str]:
    rows = []
    for one in operation.get("parameters", []):
        if one["in"] != "query" or (is_list and one["name"] in ("limit", "after")):
            continue
        name = f"`{one['name']}`" + (" (required)" if one.get("required") else "")
        kind = type_of(one["schema"])
        if one["schema"].get("type") == "array":
            kind += ", with commas"
        rows.append([name, kind, meaning_of(one["schema"], one.get("description", ""))])
    yield from table(["parameter", "type", "meaning"], rows)


def body(operation: dict) -> Iterator[str]:
    content = operation.get("requestBody", {}).get("content", {})
    if "application/octet-stream" in content:
        yield ""
        yield "The body is the file."
    schema = content.get("application/json", {}).get("schema", {})
    required = schema.get("required", [])
    rows = [[f"`{name}`" + (" (required)" if name in required else ""), type_of(one),
             meaning_of(one, one.get("description", ""))]
            for name, one in schema.get("properties", {}).items()]
    yield from table(["member", "type", "meaning"], rows)


def answer(operation: dict) -> str:
    """The statuses of success, and those that have the same document, such as 503 of a health check."""
    responses = operation["responses"]
    first = next(said for status, said in responses.items() if status.startswith("2"))
    statuses = sorted(status for status, said in responses.items()
                      if status.startswith("2") or ("content" in said and said["content"] == first.get("content")))
    content = first.get("content", {})
    what = "without a body"
    if "text/csv" in content:
        schema = content["application/json"]["schema"]
        page, *more = schema.get("allOf", [schema])
        [(member, rows)] = [(name, one) for name, one in page["properties"].items()
                            if one.get("type") == "array"]
        what = f"a list of {type_of(rows['items'])} in `{member}`"
        what += "".join(f", with the members of {type_of(one)}" for one in more)
    elif content:
        [(kind, said)] = content.items()
        what = type_of(said["schema"]) if kind == "application/json" else f"`{kind}`"
    return f"Answer: {' or '.join(statuses)}, {what}."


def operation_lines(method: str, path: str, operation: dict) -> Iterator[str]:
    is_list = any("text/csv" in said.get("content", {}) for said in operation["responses"].values())
    yield ""
    yield f"### `{method.upper()} {path}`"
    yield ""
    yield f"{operation['summary']} {operation['description']}"
    yield from parameters(operation, is_list)
    yield from body(operation)
    yield ""
    yield answer(operation)


def members(schema: dict, prefix: str = "") -> Iterator[list[str]]:
    """The members of a document, those of objects inside it with dots."""
    required = schema.get("required", [])
    for name, one in schema.get("properties", {}).items():
        whole = f"{prefix}{name}"
        shown = f"`{whole}`" + ("" if name in required else " (not always)")
        yield [shown, type_of(one), meaning_of(one, one.get("description", ""))]
        if "properties" in one:
            yield from members(one, whole + ".")
        elif "properties" in one.get("items", {}):
            yield from members(one["items"], whole + "[].")


def schema_lines(name: str, schema: dict) -> Iterator[str]:
    yield ""
    yield f"### {name}"
    if about := schema.get("description"):
        yield ""
        yield about
    for part in schema.get("allOf", [schema]):
        if "$ref" in part:
            yield ""
            yield f"It has every member of {type_of(part)}, and:"
        else:
            yield from table(["member", "type", "meaning"], list(members(part)))


def section(tag: str) -> str:
    """The heading of a noun. "Session" is the name of a document, too."""
    return {"session": "Signing in"}.get(tag, tag.replace("_", " ").replace("-", " ").capitalize())


def page(document: dict) -> str:
    lines = [INTRODUCTION.rstrip()]
    for tag in document["tags"]:
        lines += ["", f"## {section(tag['name'])}"]
        for path, methods in document["paths"].items():
            for method in METHODS:
                if tag["name"] in methods.get(method, {}).get("tags", []):
                    lines += operation_lines(method, path, methods[method])
    lines += ["", "## Documents", "",
              "Times are RFC 3339 in UTC, with microseconds. New members may be added at any time; a "
              "program should ignore those that it does not know."]
    for name, schema in sorted(document["components"]["schemas"].items()):
        lines += schema_lines(name, schema)
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description="The reference of the HTTP API.")
    parser.add_argument("--write", action="store_true", help="write the page instead of comparing it")
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("program", type=pathlib.Path)
    args = parser.parse_args()
    said = subprocess.run([args.program, "schema", "openapi"], capture_output=True, text=True, check=True)
    made = page(json.loads(said.stdout))
    if args.write:
        args.page.write_text(made)
        return 0
    kept = args.page.read_text() if args.page.exists() else ""
    if kept == made:
        return 0
    sys.stdout.writelines(difflib.unified_diff(
        kept.splitlines(keepends=True), made.splitlines(keepends=True), str(args.page), "the program"))
    print(f"\n{args.page.name} is not what the program says. If the change is wanted, write it again:\n"
          f"  python3 -B tests/docs/make_http_api.py --write docs/reference/http-api.md {args.program}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
