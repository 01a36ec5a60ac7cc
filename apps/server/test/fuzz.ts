/**
 * Hostile requests to every endpoint of the API, made from its definition: wrong types, deep and huge values, odd
 * characters, cut and doubled JSON, foreign content types.
 *
 * `node fuzz.ts [REQUESTS] [SEED]` sends them to a server of its own, and prints what came back. None may be answered
 * with a status of 500 or more, and every refusal is a problem.
 */
import * as Problem from "@backstitch/api/Problem"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Endpoints from "./endpoints.ts"
import { recorded, type Served, serve } from "./served.ts"

/** Counts of answers by status, and every answer that may not be. */
export interface Found {
  readonly statuses: Readonly<Record<number, number>>
  readonly wrong: ReadonlyArray<string>
}

type Random = () => number

/** Numbers between 0 and 1 that follow from a seed. */
const random = (seed: number): Random => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const pick = <A>(next: Random, from: ReadonlyArray<A>): A => from[Math.floor(next() * from.length)]!

const texts = [
  ...["", " ", "trip-43", "trip-43@7", "r1", "a2", "a99999999999", "0", "-1", "1", "14", "2147483648", "1e309", "NaN"],
  ...["__proto__", "constructor", "toString", "../../etc/passwd", "'; drop table run; --", "%00", "\u0000", "\ud800"],
  ...["größe🧵", "\u202eabc", "ﬀ", "a\r\nb: c", "x".repeat(300), "x".repeat(5000), '"1"', "*", '"', "\\", "null", "[]"]
]

const values: ReadonlyArray<unknown> = [
  ...texts.slice(0, 30),
  ...[null, true, 0, -1, 1.5, 1e21, 2 ** 53, -0, [], {}, [[]], [null], { a: { b: [1] } }, { __proto__: 1 }]
]

const deep = (levels: number, [open, close]: readonly [string, string]): string =>
  `${open.repeat(levels)}1${close.repeat(levels)}`

/** Bodies that are no JSON of the declared form, or none at all. */
const raw = [
  ...["", "{", "}", "nul", '"', "[1,", "{} {}", "\ufeff{}", "\u0000", "1e400", "-", "{'a':1}", "undefined"],
  ...[
    '{"name":"a","name":"b","role":"viewer","role":"admin"}',
    '{"verdict":"approved","verdict":"denied","reason":"x"}'
  ],
  ...[deep(100_000, ["[", "]"]), deep(20_000, ['{"a":', "}"]), `{"record":${deep(5000, ["[", "]"])}}`],
  ...[`{"reason":"${"x".repeat(100_000)}"}`, `{"n":${"9".repeat(5000)}}`, '{"a\\u0000":"\\ud800"}']
]

const kinds = ["application/json", "application/x-ndjson", "text/plain", "multipart/form-data; boundary=x", "a/b", ";"]

const spoilt = (next: Random, body: unknown): unknown => {
  if (typeof body !== "object" || body === null) return pick(next, values)
  const entries = Object.entries(body)
  const [name] = pick(next, entries.length === 0 ? [["x", 0]] : entries) as [string, unknown]
  if (next() < 0.3) return Object.fromEntries(entries.filter(([each]) => each !== name))
  const given =
    next() < 0.3 && entries.length > 0 ? spoilt(next, (body as Record<string, unknown>)[name]) : pick(next, values)
  return { ...body, [next() < 0.8 ? name : pick(next, texts)]: given }
}

const textOf = (next: Random, known: ReadonlyArray<unknown>): string => {
  if (next() < 0.3) return pick(next, raw)
  const body = known.length === 0 ? pick(next, values) : pick(next, known)
  return JSON.stringify(next() < 0.4 ? body : spoilt(next, body)) ?? ""
}

/** Headers of HTTP hold no such characters: the client would refuse to send them. */
const isSent = (text: string): boolean => /^[\t\x20-\x7e\x80-\xff]*$/.test(text)

const headersOf = (next: Random): Record<string, string> => {
  const found: Record<string, string> = {}
  for (const name of ["idempotency-key", "if-match", "last-event-id", "accept", "x-forwarded-for"]) {
    const text = pick(next, texts)
    if (next() < 0.2 && isSent(text)) found[name] = text
  }
  return found
}

const bodyOf = (next: Random, endpoint: Endpoints.Endpoint, known: ReadonlyArray<unknown>): RequestInit => {
  if (endpoint.method === "GET") return {}
  const lines = recorded("trip-43")
  const cut = Math.floor(next() * lines.length)
  const file = next() < 0.3 ? textOf(next, known) : lines.slice(0, cut) + pick(next, texts) + lines.slice(cut + 1)
  const kind = endpoint.isImport ? "application/x-ndjson" : "application/json"
  return {
    body: endpoint.isImport ? file : textOf(next, known),
    headers: next() < 0.05 ? { "content-type": pick(next, kinds) } : { "content-type": kind }
  }
}

const isProblem = Schema.is(Schema.Union(Problem.schemas))

const looked = async (response: Response): Promise<string | undefined> => {
  const kind = response.headers.get("content-type")
  if (response.status < 400) {
    await response.body?.cancel()
    return undefined
  }
  const text = await response.text()
  if (response.status >= 500) return `status ${response.status}: ${text}`
  if (kind !== "application/problem+json") return `${response.status} is no problem but ${kind}: ${text.slice(0, 200)}`
  return isProblem(JSON.parse(text)) ? undefined : `no valid problem: ${text.slice(0, 500)}`
}

/** Sends requests, which follow from the seed, with keys of every role. */
export const fuzz = Effect.fnUntraced(function* (served: Served, count: number, seed: number) {
  const next = random(seed)
  const keys: Array<string> = []
  for (const role of ["viewer", "operator", "approver", "admin"] as const) {
    keys.push(yield* served.key("default", role, { capacities: ["manager"] }))
  }
  yield* Effect.promise(() => served.ask("/v1/imports", { key: keys[1]!, lines: recorded("trip-43") }))
  const known = new Map<string, ReadonlyArray<unknown>>()
  for (const endpoint of Endpoints.all) known.set(endpoint.id, yield* Endpoints.bodies(endpoint, 20, seed))
  const statuses: Record<number, number> = {}
  const wrong: Array<string> = []
  const one = async (): Promise<void> => {
    const endpoint = pick(next, Endpoints.all)
    const params = Object.fromEntries(endpoint.params.map((name) => [name, pick(next, texts).toWellFormed()]))
    const query =
      next() < 0.5
        ? ""
        : `?${pick(next, ["limit", "from", "to", "types", "fields", "since", "after", "run", "x"])}=${encodeURIComponent(pick(next, texts).toWellFormed())}`
    const { body, headers } = bodyOf(next, endpoint, known.get(endpoint.id) ?? [])
    const path = `${Endpoints.pathOf(endpoint, params)}${query}`
    const response = await fetch(`${served.address}${path}`, {
      method: endpoint.method,
      headers: {
        authorization: `Bearer ${pick(next, keys)}`,
        ...headersOf(next),
        ...(headers as Record<string, string>)
      },
      ...(body === undefined ? {} : { body: body as string }),
      signal: AbortSignal.timeout(60_000)
    })
    statuses[response.status] = (statuses[response.status] ?? 0) + 1
    const problem = await looked(response)
    if (problem !== undefined) wrong.push(`${endpoint.method} ${path} ${String(body ?? "").slice(0, 300)}: ${problem}`)
  }
  let left = count
  const worker = async (): Promise<void> => {
    while (left-- > 0) await one()
  }
  yield* Effect.promise(() => Promise.all(Array.from({ length: 8 }, worker)))
  const found: Found = { statuses, wrong }
  return found
})

if (import.meta.main) {
  const [, , count = "20000", seed = "1"] = process.argv
  const program = Effect.gen(function* () {
    const served = yield* serve()
    yield* fuzz(served, 1000, 0)
    const before = process.memoryUsage().rss
    const { statuses, wrong } = yield* fuzz(served, Number(count), Number(seed))
    const grown = Math.round((process.memoryUsage().rss - before) / 2 ** 20)
    process.stdout.write(`${JSON.stringify({ statuses, grownMiB: grown, wrong: wrong.length })}\n`)
    for (const each of wrong.slice(0, 20)) process.stdout.write(`${each}\n`)
    if (wrong.length > 0) process.exitCode = 1
  })
  await Effect.runPromise(Effect.scoped(program))
}
