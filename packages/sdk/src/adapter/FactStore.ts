/**
 * Facts that the adapter of a framework commits to runs, and the large texts that they name.
 *
 * A fact stands in one order and one chain with the acts of the tools of its run. A text is kept in parts by digest, so
 * that one that grows, such as a conversation, costs what it has gained. Facts hold the addresses of texts.
 */
import type { Digest } from "@backstitch/trace/Digest"
import * as JsonText from "@backstitch/trace/JsonText"
import * as JsonTree from "@backstitch/trace/JsonTree"
import * as TraceStore from "@backstitch/trace/TraceStore"
import type { Body, Sealed } from "@backstitch/trace/Transition"
import * as Effect from "effect/Effect"
import { BackstitchError } from "../failures/Failures.ts"
import * as Limits from "../Limits.ts"
import type { Backstitch } from "../run/openStore.ts"
import type { Session } from "../session/Session.ts"
import type { JsonObject } from "../values/Json.ts"
import * as KernelOutcomes from "../values/kernelOutcomes.ts"
import * as OpenSession from "./openSession.ts"

/** A committed fact of a run. */
export interface Fact {
  readonly tick: number
  readonly type: string
  readonly fields: JsonObject
}

/** A call of a tool that a run has on record, under the name that its caller gave it. */
export interface RecordedCall {
  readonly tick: number
  readonly action: string
  readonly tool: string
  readonly callId?: string
}

/** A text taken apart. The next text of its kind is taken apart along it. */
export interface KeptText {
  readonly address: string
  readonly tree: unknown
}

/** A text to be kept, and one that it may have grown out of. */
export interface KeepableText {
  readonly text: string
  readonly since?: KeptText | undefined
}

/** Texts taken apart, and their parts, which have to be committed with the fact that names the texts. */
export interface TextsApart {
  readonly texts: ReadonlyArray<KeptText>
  readonly parts: ReadonlyMap<string, string>
}

/** The facts of the runs of a store, and their texts. */
export interface FactStore {
  /**
   * Commits a fact, and in the same write the parts of texts that it names; answers its tick. A run that does not exist
   * is begun, under the pack of the store.
   */
  readonly record: (run: string, fact: Omit<Fact, "tick">, parts?: TextsApart["parts"]) => Promise<number>
  /** The facts of a namespace from a tick on, and the last tick of the run: 0 if it was never begun. */
  readonly read: (
    run: string,
    wanted: { readonly namespace: string; readonly from: number }
  ) => Promise<{ readonly facts: ReadonlyArray<Fact>; readonly head: number }>
  /** The calls of tools of a run, in order, whatever became of them. */
  readonly calls: (run: string) => Promise<ReadonlyArray<RecordedCall>>
  /** The names of all runs, in order. */
  readonly runs: () => AsyncIterable<string>
  /** Takes texts apart. The parts of a text that one grew out of are taken for kept. */
  readonly apart: (texts: ReadonlyArray<KeepableText>) => TextsApart
  /** The texts of some addresses, in their order. */
  readonly texts: (addresses: ReadonlyArray<string>) => Promise<ReadonlyArray<string>>
  /** The address that a text has, or would have. */
  readonly addressOf: (text: string) => string
}

/** The facts of a store that is open. */
export const of = (backstitch: Backstitch): FactStore => {
  const { pack, session } = OpenSession.of(backstitch)
  return {
    record: (run, fact, parts = new Map()) =>
      session.run(Effect.scoped(recorded(session, { run, fact, pack, parts: parts as Parts }))),
    read: (run, wanted) => session.run(read(session, run, wanted)),
    calls: (run) => session.run(calls(session, run)),
    runs: () => runs(session),
    apart,
    texts: (addresses) => session.run(texts(addresses)),
    addressOf: (text) => JsonTree.addressOf(JsonTree.make(text))
  }
}

type Parts = ReadonlyMap<Digest, string>

interface Recorded {
  readonly run: string
  readonly fact: Omit<Fact, "tick">
  readonly pack: OpenSession.OpenSession["pack"]
  readonly parts: Parts
}

const recorded = Effect.fnUntraced(function* (session: Session, { fact, pack, parts, run }: Recorded) {
  const { fields, type } = fact
  const name = session.name(run)
  const handle = yield* session.runs.use(name, { pack, goal: run })
  const proposed = handle.propose({ type, data: fields, author: "institution" })
  const found = yield* session.texts.during(name, parts, proposed)
  if (found._tag === "Done") return found.tick
  const { why } = yield* KernelOutcomes.outcome(handle, found)
  const namespace = type.slice(0, type.indexOf("."))
  const message =
    `Run ${run} takes no fact ${type}: ${why}. A run takes the types with which its store was opened as it began. ` +
    `Open the store with the types of ${namespace}, and begin another run`
  return yield* Effect.fail(new BackstitchError({ code: "fact_refused", message, run }))
})

const read = Effect.fnUntraced(function* (
  session: Session,
  run: string,
  { from, namespace }: { readonly from: number; readonly namespace: string }
) {
  const facts: Array<Fact> = []
  const head = yield* visitMarked(session, run, {
    from,
    mark: `"type":"${namespace}.`,
    visit: (sealed) => facts.push(factOf(sealed))
  })
  return { facts: facts.filter(({ type }) => type.startsWith(`${namespace}.`)), head }
})

/** Visits the transitions whose body has a text in it; answers the last tick of the run. */
const visitMarked = Effect.fnUntraced(function* (
  session: Session,
  run: string,
  { from, mark, visit }: { readonly from: number; readonly mark: string; readonly visit: (sealed: Sealed) => unknown }
) {
  const store = yield* TraceStore.TraceStore
  let head = from - 1
  for (;;) {
    const page = yield* store.read(session.name(run), { from: head + 1, limit: Limits.pacing.factRowsMax })
    for (const sealed of page) if (sealed.body.includes(mark)) visit(sealed)
    head = page.at(-1)?.tick ?? head
    if (page.length < Limits.pacing.factRowsMax) return head
  }
})

const calls = Effect.fnUntraced(function* (session: Session, run: string) {
  const found: Array<RecordedCall> = []
  yield* visitMarked(session, run, {
    from: 1,
    mark: '"type":"action.request"',
    visit: ({ body, tick }) => {
      const { action, intent, type } = JsonText.read(body) as Body
      if (type !== "action.request" || action?.tool === undefined) return
      const { id, tool } = action
      found.push({ tick, action: id, tool, ...(intent?.command === undefined ? {} : { callId: intent.command }) })
    }
  })
  return found
})

const factOf = ({ body, tick }: Sealed): Fact => {
  const { data, type } = JsonText.read(body) as Body
  return { tick, type, fields: (data ?? {}) as JsonObject }
}

async function* runs(session: Session): AsyncGenerator<string, undefined> {
  let after: Parameters<TraceStore.TraceStore["Service"]["runs"]>[1] = {}
  for (;;) {
    const page = await session.run(
      Effect.flatMap(TraceStore.TraceStore, (store) =>
        store.runs(session.tenant, { ...after, limit: Limits.pacing.factRowsMax })
      )
    )
    for (const { run } of page) yield run.id
    const last = page.at(-1)
    if (last === undefined || page.length < Limits.pacing.factRowsMax) return undefined
    after = { after: last.run.id }
  }
}

const apart = (given: ReadonlyArray<KeepableText>): TextsApart => {
  const nodes = new Map<Digest, string>()
  const texts = given.map(({ since, text }): KeptText => {
    const earlier = since?.tree as JsonTree.JsonTree | undefined
    const tree = JsonTree.make(text, earlier)
    const put = (digest: Digest, node: string) => void nodes.set(digest, node)
    return { address: JsonTree.collect(tree, (digest) => nodes.has(digest), put, earlier), tree }
  })
  return { texts, parts: nodes }
}

const texts = Effect.fnUntraced(function* (addresses: ReadonlyArray<string>) {
  const store = yield* TraceStore.TraceStore
  const get = store.blob ?? (yield* nodesOf(store, addresses))
  return yield* Effect.try({
    try: () => addresses.map((address) => JsonTree.read(address, get)),
    catch: (cause) => cause
  })
})

/** Reads the nodes of some addresses level by level: as many questions as the deepest text has levels. */
const nodesOf = Effect.fnUntraced(function* (
  store: TraceStore.TraceStore["Service"],
  addresses: ReadonlyArray<string>
) {
  const found = new Map<Digest, string>()
  let below = new Set(addresses.map(JsonTree.digestOf).filter((digest) => digest !== undefined))
  while (below.size > 0) {
    const level = yield* store.getBlobs([...below])
    for (const [digest, node] of level) found.set(digest, node)
    below = new Set([...level.values()].flatMap(JsonTree.children).filter((digest) => !found.has(digest)))
  }
  return (digest: Digest) => found.get(digest)
})
