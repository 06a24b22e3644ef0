// A program that a user of the API might write, with types that openapi-typescript made from the daemon's own
// description: client.js URL TOKEN DESCRIPTION. A description that promises too much or too little does not compile,
// or its answers do not fit.

import { strict as assert } from "node:assert";
import { setTimeout as pause } from "node:timers/promises";
import createClient from "openapi-fetch";
import { Description } from "./answers.js";
import type { components, paths } from "./api.js";

type Schemas = components["schemas"];
type Job = Schemas["Job"];
type Failure = Schemas["Error"];

const [url, token, file] = process.argv.slice(2);
if (!url || !token || !file) throw new Error("client.js URL TOKEN DESCRIPTION");

const credentials = { Authorization: `Bearer ${token}` };
const description = new Description(file);
const api = createClient<paths, "application/json">({ baseUrl: url, headers: credentials });
api.use(description.middleware());

/** The document of an answer; an answer that is none ends the program with the daemon's own words. */
function got<Document>(answer: { data?: Document; error?: Failure; response: Response }): Document {
  if (answer.error) {
    const { code, message, help } = answer.error.error;
    throw new Error(`${answer.response.status} ${code}: ${message}${help ? `; ${help}` : ""}`);
  }
  assert(answer.data !== undefined);
  return answer.data;
}

/** How an answer was refused. */
function refused(answer: { error?: Failure; response: Response }, status: number): Failure["error"] {
  assert.equal(answer.response.status, status);
  assert(answer.error);
  return answer.error.error;
}

/** Every row of a list, page by page. */
async function all<Row>(page: (after?: string) => Promise<{ rows: Row[]; next: string | null }>): Promise<Row[]> {
  const rows: Row[] = [];
  for (let after: string | null | undefined; after !== null; ) {
    const answer = await page(after);
    rows.push(...answer.rows);
    after = answer.next;
  }
  return rows;
}

async function until<Seen>(what: string, look: () => Promise<Seen | undefined>): Promise<Seen> {
  for (const end = Date.now() + 60_000; Date.now() < end; await pause(20)) {
    const seen = await look();
    if (seen !== undefined) return seen;
  }
  throw new Error(`it never came about: ${what}`);
}

/** A compiler error if the API has a state that this program does not know, or lacks one. */
function isOver(state: Job["state"]): boolean {
  const over = { running: false, paused: false, completed: true, failed: true, cancelled: true } satisfies
    Record<Job["state"], boolean>;
  return over[state];
}

async function signIn(): Promise<void> {
  const mine = got(await api.GET("/api/v1/session"));
  assert.equal(mine.person, "olga");
  const role: "viewer" | "reviewer" | "operator" | "admin" = mine.role;
  assert.equal(role, "admin");

  const session = got(await api.POST("/api/v1/session", { body: { token: token! }, headers: { Origin: url! } }));
  assert.deepEqual(session.groups satisfies string[], []);
  assert(session.expires_at !== null && Date.parse(session.expires_at) > Date.now());

  const stranger = createClient<paths, "application/json">({ baseUrl: url! });
  stranger.use(description.middleware());
  assert.equal(refused(await stranger.GET("/api/v1/session"), 401).code, "not_signed_in");
}

async function submit(): Promise<number> {
  const flows = got(await api.GET("/api/v1/workflows")).workflows;
  assert.deepEqual(flows.map((flow) => flow.workflow), ["letters"]);
  const body = { workflow: "letters", params: { greeting: "Dear" }, items: ["a", "b", "c", "d", "e"], key: "monday" };
  const answer = await api.POST("/api/v1/jobs", { body });
  const job = got(answer);
  assert.equal(answer.response.status, 201);
  assert.deepEqual(job.warnings, []);
  const again = await api.POST("/api/v1/jobs", { body });
  assert.equal(again.response.status, 200);
  assert.equal(got(again).job, job.job);

  const wrong = refused(await api.POST("/api/v1/jobs", { body: { workflow: "leters" } }), 404);
  assert(wrong.message.includes("leters") && wrong.help !== undefined);
  return job.job;
}

async function pageThroughItems(job: number): Promise<void> {
  const path = { job };
  const items = await all(async (after) => {
    const page = got(await api.GET("/api/v1/jobs/{job}/items", { params: { path, query: { limit: 2, after } } }));
    assert(page.items.length <= 2);
    assert(page.total === undefined || page.total === null || page.total.count === 5);
    return { rows: page.items, next: page.next };
  });
  assert.deepEqual(items.map((item) => item.item), ["a", "b", "c", "d", "e"]);
  for (const item of items) {
    const shown = got(await api.GET("/api/v1/items/{item}", { params: { path: { item: item.item_id } } }));
    assert.equal(shown.job, job);
    const attempts = got(await api.GET("/api/v1/items/{item}/attempts", { params: { path: { item: item.item_id } } }));
    assert(attempts.attempts.length > 0);
  }
}

async function reviewsOf(job: number): Promise<Schemas["ReviewRow"][]> {
  return all(async (after) => {
    const page = got(await api.GET("/api/v1/reviews", { params: { query: { job, limit: 3, after } } }));
    return { rows: page.reviews, next: page.next };
  });
}

type Answer = paths["/api/v1/reviews/{review}/answer"]["post"]["requestBody"]["content"]["application/json"];

/** What this person says to the review of an item. */
function opinion(row: Schemas["ReviewRow"]): Omit<Answer, "digest"> {
  if (row.item === "b") return { outcome: "approve_with_edits", edits: { text: "Dearest b", words: 2, lines: ["one", "two"] } };
  if (row.item === "d" && row.attempt_count === 1) return { outcome: "request_changes", note: "more warmth" };
  return { outcome: "approve" };
}

async function answerReview(row: Schemas["ReviewRow"]): Promise<void> {
  const params = { path: { review: row.review } };
  got(await api.POST("/api/v1/reviews/{review}/claim", { params, body: { for_s: 60 } }));
  got(await api.POST("/api/v1/reviews/{review}/release", { params }));
  const { digest } = got(await api.GET("/api/v1/reviews/{review}", { params }));
  assert(digest !== null);

  const stale = await api.POST("/api/v1/reviews/{review}/answer",
    { params, body: { outcome: "approve", digest: "0".repeat(64) } });
  assert.equal(refused(stale, 409).code, "conflict");
  assert.equal(stale.error?.changed?.digest, digest);

  const done = got(await api.POST("/api/v1/reviews/{review}/answer", { params, body: { ...opinion(row), digest } }));
  assert.equal(done.review, row.review);
}

async function answerReviews(job: number): Promise<void> {
  let answered = 0;
  await until("everything but c is decided", async () => {
    for (const row of await reviewsOf(job)) {
      await answerReview(row);
      ++answered;
    }
    return answered === 5 ? answered : undefined;
  });
}

async function discardDeadLetter(job: number): Promise<void> {
  const letters = got(await api.GET("/api/v1/dead-letters", { params: { query: { job } } })).dead_letters;
  assert.deepEqual(letters.map((letter) => letter.item), ["c"]);
  const body = { id: "clear", kind: "dead_letters.discard", job, all: true, reason: "nobody waits for it" } as const;
  got(await api.POST("/api/v1/operations", { body }));
  const ended = await until("the operation ends", async () => {
    const now = got(await api.GET("/api/v1/operations/{operation}", { params: { path: { operation: "clear" } } }));
    return now.phase === "finished" ? now : undefined;
  });
  assert.equal(ended.done, 1);
}

async function readResults(job: number): Promise<void> {
  const path = { job };
  const ended = await until("the job ends", async () => {
    const now = got(await api.GET("/api/v1/jobs/{job}", { params: { path } }));
    return isOver(now.state) ? now : undefined;
  });
  assert.equal(ended.items.succeeded, 4);
  assert.equal(ended.budget.cost_usd_used ?? 0, 0);
  const page = got(await api.GET("/api/v1/jobs/{job}/results", { params: { path, query: { stage: "draft" } } }));
  const drafts = Object.fromEntries(page.results.map((row) => [row.item, row.outputs["draft"]]));
  assert.deepEqual(drafts["b"], { text: "Dearest b", words: 2, lines: ["one", "two"] });
  assert.deepEqual(drafts["d"], { text: "Dear d", words: 2, lines: ["one", "two"] });

  const tables = createClient<paths, "text/csv">({ baseUrl: url!, headers: { ...credentials, Accept: "text/csv" } });
  tables.use(description.middleware());
  const table = await tables.GET("/api/v1/jobs/{job}/results", { params: { path }, parseAs: "text" });
  assert(table.data?.includes("Dearest b"));
}

async function readEvents(job: number): Promise<void> {
  const events = await all(async (after) => {
    const page = got(await api.GET("/api/v1/events", { params: { query: { job, limit: 20, after } } }));
    return { rows: page.events, next: page.next };
  });
  const types = new Set(events.map((event) => event.type));
  for (const type of ["job.submitted", "review.requested", "review.decided", "item.dead_lettered", "job.finished"] as const) {
    assert(types.has(type), type);
  }
  const seqs = events.map((event) => event.seq);
  assert.deepEqual(seqs, [...new Set(seqs)].sort((one, other) => one - other));

  const missing = await api.GET("/api/v1/jobs/{job}", { params: { path: { job: job + 1000 } } });
  assert.equal(refused(missing, 404).code, "not_found");
}

/** Every document that can be read, compared with its description. */
async function readEverything(job: number): Promise<void> {
  const items = got(await api.GET("/api/v1/jobs/{job}/items", { params: { path: { job } } })).items;
  const reviews = got(await api.GET("/api/v1/reviews", { params: { query: { job, status: "all" } } })).reviews;
  const review = reviews.findLast((one) => one.item === "d");
  const letters = got(await api.GET("/api/v1/dead-letters", { params: { query: { include_discarded: true } } }));
  const workers = got(await api.GET("/api/v1/workers")).workers;
  const [item, task, worker] = [items.find((one) => one.item === "d")?.item_id, letters.dead_letters[0]?.task, workers[0]?.worker];
  assert(item && review && task && worker);
  const parts: { [name: string]: string | number } = {
    job, item, task, worker, review: review.review, attempt: 1, stage: "count", workflow: "letters", name: "olga",
    operation: "clear",
  };
  const query: { [path: string]: string } = {
    "/api/v1/jobs/{job}/item": "key=a",
    "/api/v1/items/{item}/criteria": "stage=draft",
    "/api/v1/items/{item}/diff": "stage=draft",
    "/api/v1/items/{item}/children": "stage=print",
    "/api/v1/search": "q=a",
  };
  for (const path of description.pathsToRead()) {
    const names = [...path.matchAll(/{(\w+)}/g)].map((match) => match[1] ?? "");
    const missing = names.filter((name) => parts[name] === undefined);
    if (missing.includes("sha256")) continue;  // nothing here has files
    assert.deepEqual(missing, [], path);
    const filled = path.replaceAll(/{(\w+)}/g, (_, name: string) => String(parts[name]));
    const response = await fetch(`${url}${filled}?${query[path] ?? ""}`, { headers: credentials });
    const type = response.headers.get("Content-Type")?.split(";")[0] ?? "";
    const body: unknown = type === "application/json" ? await response.json() : await response.text();
    description.check(path, "get", response.status, type, body);
    assert(response.status < 500, `${path}: ${response.status}`);
  }
}

await signIn();
const job = await submit();
await answerReviews(job);
await discardDeadLetter(job);
await readResults(job);
await pageThroughItems(job);
await readEvents(job);
await readEverything(job);
console.log(`${description.checked.size} operations answered as they are described`);
