// Checks every answer against the description of the API: whatever the types of a client promise, the daemon must
// have sent.

import { readFileSync } from "node:fs";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import type { Middleware } from "openapi-fetch";

type Node = { [name: string]: Node };

const pointer = (name: string) => name.replaceAll("~", "~0").replaceAll("/", "~1");

/** In an object that describes its members, one that is not described is an error. */
function close(node: unknown, isPart: boolean): void {
  if (Array.isArray(node)) return node.forEach((one) => close(one, isPart));
  if (typeof node !== "object" || node === null) return;
  const schema = node as { [name: string]: unknown };
  const describes = ["properties", "allOf", "$ref"].some((name) => name in schema);
  if (describes && !isPart) schema["unevaluatedProperties"] = false;
  for (const [name, below] of Object.entries(schema)) close(below, name === "allOf");
}

export class Description {
  private readonly ajv = new Ajv2020({ strict: false, allErrors: true });
  private readonly known = new Map<string, ValidateFunction>();
  readonly document: Node;
  readonly checked = new Set<string>();

  constructor(file: string) {
    this.document = JSON.parse(readFileSync(file, "utf8")) as Node;
    const strict = structuredClone(this.document);
    // A schema is open as long as others may be made of it; where it is used, it is closed.
    for (const schema of Object.values(strict["components"]?.["schemas"] ?? {})) {
      for (const part of Object.values(schema)) close(part, true);
    }
    for (const path of Object.values(strict["paths"] ?? {})) {
      for (const operation of Object.values(path)) close(Object.values(operation["responses"] ?? {}), false);
    }
    formats.default(this.ajv);
    this.ajv.addSchema(strict, "pawl", undefined, false);
  }

  /** The paths that can be read; not those that go on for ever. */
  pathsToRead(): string[] {
    const paths = Object.entries(this.document["paths"] ?? {});
    const ends = (get: Node) => !get["responses"]?.["200"]?.["content"]?.["text/event-stream"];
    return paths.filter(([, path]) => path["get"] && ends(path["get"])).map(([name]) => name);
  }

  /** Throws unless the operation may answer so. */
  check(path: string, method: string, status: number, type: string, body: unknown): void {
    const operation = this.document["paths"]?.[path]?.[method];
    const which = [String(status), `${String(status)[0]}XX`].find((name) => operation?.["responses"]?.[name]);
    if (!which) throw new Error(`${method} ${path}: the status ${status} is not described`);
    let place = `/paths/${pointer(path)}/${method}/responses/${which}`;
    let response = operation?.["responses"]?.[which];
    const reference = response?.["$ref"] as unknown as string | undefined;
    if (reference) {
      place = reference.slice(1);
      response = this.document["components"]?.["responses"]?.[reference.split("/").at(-1) ?? ""];
    }
    if (!type && !response?.["content"]) return;
    if (!response?.["content"]?.[type]) throw new Error(`${method} ${path}: ${status} with ${type} is not described`);
    const wrong = this.validator(`pawl#${place}/content/${pointer(type)}/schema`);
    if (!wrong(body)) {
      throw new Error(`${method} ${path}: the answer ${status} is not as described: ` +
        `${this.ajv.errorsText(wrong.errors)}\n${JSON.stringify(body, null, 1).slice(0, 4000)}`);
    }
    this.checked.add(`${method} ${path}`);
  }

  private validator(place: string): ValidateFunction {
    const found = this.known.get(place) ?? this.ajv.compile({ $ref: place });
    this.known.set(place, found);
    return found;
  }

  /** For a client: checks each JSON document that it gets. */
  middleware(): Middleware {
    return {
      onResponse: async ({ request, response, schemaPath }) => {
        const type = (response.headers.get("Content-Type") ?? "").split(";")[0] ?? "";
        const text = await response.clone().text();
        const body: unknown = type === "application/json" ? JSON.parse(text) : text;
        this.check(schemaPath, request.method.toLowerCase(), response.status, type, body);
        return undefined;
      },
    };
  }
}
