/**
 * Hostile requests to every route of the API, made from its definition: wrong types, deep and huge values, odd
 * characters, cut and doubled JSON, foreign content types, and bodies that come slowly or not whole.
 *
 * `pnpm fuzz:server [REQUESTS] [SEED]` sends them to a server of its own, and prints what came back. None may be
 * answered with a status of 500 or more, every refusal is a problem, and the heap does not grow.
 */
import * as Net from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import * as Problem from "@backstitch/api/Problem"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Routes from "./routes.ts"
import { recorded, type Served, serve } from "./served.ts"

/** Counts of answers by status, and of bodies by kind, and every answer that may not be. */
export interface Found {
  /** 0: the client went away before it had sent the body. */
  readonly statuses: Readonly<Record<number, number>>
  readonly kinds: Readonly<Partial<Record<Kind, number>>>
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

/** Bodies that are no JSON of the declared form, or none at all, by what is wrong with them. */
const raw = {
  malformed: ["", "{", "}", "nul", '"', "[1,", "{} {}", "\ufeff{}", "\u0000", "-", "{'a':1}", "undefined"],
  "duplicate keys": [
    '{"name":"a","name":"b","role":"viewer","role":"admin"}',
    '{"verdict":"approved","verdict":"denied","reason":"x"}'
  ],
  "deep JSON": [deep(100_000, ["[", "]"]), deep(20_000, ['{"a":', "}"]), `{"record":${deep(5000, ["[", "]"])}}`],
  "huge numbers": [
    "1e400",
    `{"n":${"9".repeat(5000)}}`,
    '{"at":1e308}',
    '{"at":-1e-400}',
    '{"at":18446744073709551616}'
  ],
  "odd unicode": ['{"a\\u0000":"\\ud800"}', '{"reason":"\\udc00\\ud800"}', '{"name":"\\u202e\\ufeff","role":"viewer"}'],
  large: [`{"reason":"${"x".repeat(100_000)}"}`]
} as const

/** The kinds of hostile requests, each of which is counted. */
export type Kind = keyof typeof raw | "wrong types" | "foreign content" | "cut lines" | "slow body" | "well formed"

const contents = [
  "application/json",
  "application/x-ndjson",
  "text/plain",
  "multipart/form-data; boundary=x",
  "a/b",
  ";"
]

const spoilt = (next: Random, body: unknown): unknown => {
  if (typeof body !== "object" || body === null) return pick(next, values)
  const entries = Object.entries(body)
  const [name] = pick(next, entries.length === 0 ? [["x", 0]] : entries) as [string, unknown]
  if (next() < 0.3) return Object.fromEntries(entries.filter(([each]) => each !== name))
  const given =
    next() < 0.3 && entries.length > 0 ? spoilt(next, (body as Record<string, unknown>)[name]) : pick(next, values)
  return { ...body, [next() < 0.8 ? name : pick(next, texts)]: given }
}

/** A body, and its kind. */
interface Body {
  readonly kind: Kind
  readonly text: string
}

const textOf = (next: Random, known: ReadonlyArray<unknown>): Body => {
  if (next() < 0.3) {
    const kind = pick(next, Object.keys(raw) as ReadonlyArray<keyof typeof raw>)
    return { kind, text: pick(next, raw[kind]) }
  }
  const body = known.length === 0 ? pick(next, values) : pick(next, known)
  return next() < 0.4
    ? { kind: "well formed", text: JSON.stringify(body) }
    : { kind: "wrong types", text: JSON.stringify(spoilt(next, body)) ?? "" }
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

/** A hostile body for a route, if it takes any. */
const bodyOf = (
  next: Random,
  route: Routes.Route,
  known: ReadonlyArray<unknown>
): Partial<Body & { readonly type: string }> => {
  if (route.method === "GET") return {}
  const lines = recorded("trip-43")
  const at = Math.floor(next() * lines.length)
  const cut: Body = { kind: "cut lines", text: lines.slice(0, at) + pick(next, texts) + lines.slice(at + 1) }
  const body = route.isImport && next() >= 0.3 ? cut : textOf(next, known)
  if (next() < 0.05) return { ...body, kind: "foreign content", type: pick(next, contents) }
  return { ...body, type: route.isImport ? "application/x-ndjson" : "application/json" }
}

/** A body that comes in pieces with pauses. */
const slowly = (text: string): ReadableStream<Uint8Array> => {
  const bytes = new TextEncoder().encode(text)
  const size = Math.max(1, Math.ceil(bytes.length / slowPieces))
  let from = 0
  return new ReadableStream({
    pull: async (controller) => {
      await sleep(slowMillis)
      if (from >= bytes.length) return controller.close()
      controller.enqueue(bytes.subarray(from, from + size))
      from += size
    }
  })
}

const slowPieces = 8
const slowMillis = 3

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
  for (const route of Routes.all) known.set(route.id, yield* Routes.bodies(route, 20, seed))
  const statuses: Record<number, number> = {}
  const kinds: Partial<Record<Kind, number>> = {}
  const wrong: Array<string> = []
  const one = async (): Promise<void> => {
    const route = pick(next, Routes.all)
    const params = Object.fromEntries(route.params.map((name) => [name, pick(next, texts).toWellFormed()]))
    const name = pick(next, [
      "limit",
      "from",
      "to",
      "types",
      "fields",
      "since",
      "after",
      "run",
      "namespace",
      "predicate",
      "instance",
      "policy",
      "as",
      "x"
    ])
    const value = encodeURIComponent(pick(next, texts).toWellFormed())
    const query = next() < 0.5 ? "" : `?${name}=${value}`
    const { kind, text, type } = bodyOf(next, route, known.get(route.id) ?? [])
    const [key, headers] = [pick(next, keys), headersOf(next)]
    const isSlow = kind !== undefined && next() < 0.1
    const leaves = isSlow && next() < 0.5
    const path = `${Routes.pathOf(route, params)}${query}`
    if (kind !== undefined) kinds[kind] = (kinds[kind] ?? 0) + 1
    if (isSlow) kinds["slow body"] = (kinds["slow body"] ?? 0) + 1
    const send = () =>
      fetch(`${served.address}${path}`, {
        method: route.method,
        headers: {
          authorization: `Bearer ${key}`,
          ...headers,
          ...(type === undefined ? {} : { "content-type": type })
        },
        ...(text === undefined ? {} : isSlow ? { body: slowly(text), duplex: "half" } : { body: text }),
        signal: AbortSignal.timeout(leaves ? slowMillis * 2 : 60_000)
      } as RequestInit)
    // A connection that was not used for a while may be closed at the moment at which a request is sent on it.
    const response = await send().catch(() => (leaves ? undefined : send()))
    const status = response?.status ?? 0
    statuses[status] = (statuses[status] ?? 0) + 1
    const problem = response && (await looked(response).catch((cause: unknown) => (leaves ? undefined : String(cause))))
    if (problem !== undefined) wrong.push(`${route.method} ${path} ${(text ?? "").slice(0, 300)}: ${problem}`)
  }
  let left = count
  const worker = async (): Promise<void> => {
    while (left-- > 0) await one()
  }
  yield* Effect.promise(() => Promise.all(Array.from({ length: 8 }, worker)))
  const found: Found = { statuses, kinds, wrong }
  return found
})

/** Sends the beginning of a body and no more, and answers what came back once the server has closed the connection. */
export const unended = (address: string, key: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(address)
    const head = `POST /v1/runs HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${key}\r\n`
    const socket = Net.connect(Number(port), hostname, () =>
      socket.write(`${head}content-type: application/json\r\ncontent-length: 100\r\n\r\n{"run":`)
    )
    let text = ""
    socket.on("data", (piece) => {
      text += String(piece)
    })
    socket.on("close", () => resolve(text))
    socket.on("error", reject)
  })

/** Bytes that the heap of this process, which serves, may have grown by. */
const grownBytesMax = 32 << 20

/** Bytes of the heap that are in use, once what is not was collected. */
const heapBytes = (): number => {
  setFlagsFromString("--expose-gc")
  const collect = runInNewContext("gc") as () => void
  for (let turn = 0; turn < 3; turn++) collect()
  return process.memoryUsage().heapUsed
}

const mebibytes = (bytes: number): number => Math.round((bytes * 10) / 2 ** 20) / 10

if (import.meta.main) {
  const [, , count = "20000", seed = "1"] = process.argv
  const program = Effect.gen(function* () {
    const served = yield* serve()
    const slow = unended(served.address, yield* served.key("default", "admin"))
    // What is loaded and compiled at the first requests is no growth.
    yield* fuzz(served, 2000, 0)
    const before = heapBytes()
    const { kinds, statuses, wrong } = yield* fuzz(served, Number(count), Number(seed))
    const after = heapBytes()
    const answer = yield* Effect.promise(() => slow)
    const found = [...wrong]
    if (!/^HTTP\/1\.1 408 [\s\S]*"tag":"RequestSlow"/.test(answer)) found.push(`a body without an end: ${answer}`)
    if (after - before > grownBytesMax) found.push("the heap has grown")
    const heapMiB = { before: mebibytes(before), after: mebibytes(after) }
    process.stdout.write(`${JSON.stringify({ statuses, kinds, heapMiB, wrong: found.length }, undefined, 2)}\n`)
    for (const each of found.slice(0, 20)) process.stdout.write(`${each}\n`)
    if (found.length > 0) process.exitCode = 1
  })
  await Effect.runPromise(Effect.scoped(program))
}
