/**
 * A proof that a field of a run's state had a value at a tick. Others can check it without the run.
 *
 * The state at a tick is a tree of digests, and the chain commits its root. So a few texts are enough: the digests of
 * the chain, and the path to one field of the state. A reader who has the head of the run from elsewhere, or a
 * checkpoint that logs it, learns the value of the field, or that it was absent. Of the rest of the run they learn
 * only its length and the names of the fields in one section.
 *
 * @source docs/FORMAT.md, "State proof"
 */
import type * as State from "@backstitch/reducer/State"
import * as StateDigests from "@backstitch/reducer/State"
import * as Branded from "@backstitch/trace/Branded"
import * as Canonical from "@backstitch/trace/Canonical"
import { defined } from "@backstitch/trace/Defined"
import * as Digest from "@backstitch/trace/Digest"
import * as Export from "@backstitch/trace/Export"
import * as JsonText from "@backstitch/trace/JsonText"
import * as Lineage from "@backstitch/trace/Lineage"
import * as List from "@backstitch/trace/List"
import * as Node from "@backstitch/trace/Node"
import * as Payload from "@backstitch/trace/Payload"
import * as Run from "@backstitch/trace/Run"
import * as Table from "@backstitch/trace/Table"
import type * as Transition from "@backstitch/trace/Transition"
import * as TreeCheckpoint from "@backstitch/transparency/TreeCheckpoint"
import * as TreeHead from "@backstitch/transparency/TreeHead"
import * as FieldPath from "@backstitch/version-control/FieldPath"
import { isReadonlyArrayNonEmpty } from "effect/Array"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** A proof in its written form. `value` is absent if the field was. */
export const StateProof = Schema.Struct({
  format: Schema.Literal("backstitch-state-proof"),
  version: Schema.Literal(1),
  run: Run.Run,
  lineage: Schema.optionalKey(Schema.NonEmptyArray(Lineage.Ancestor)),
  head: Schema.Struct({ tick: Schema.Natural, link: Digest.Digest, story: Digest.Digest }),
  at: Schema.Natural,
  field: Schema.String,
  value: Schema.optionalKey(Schema.Json),
  chain: Schema.Array(Schema.Tuple([Digest.Digest, Digest.Digest, Digest.Digest])),
  texts: Schema.Record(Schema.String, Schema.String),
  sections: Schema.Struct({ kernel: Digest.Digest, working: Digest.Digest, world: Digest.Digest }),
  fields: Schema.Record(Schema.String, Schema.String.check(Schema.isPattern(/^(?:value|table|list):[0-9a-f]{64}$/))),
  log: Schema.optionalKey(
    Schema.Struct({ checkpoint: Schema.String, index: Schema.Natural, proof: Schema.Array(Digest.Digest) })
  )
})

/** A proof in its written form. `value` is absent if the field was. */
export type StateProof = typeof StateProof.Type

/**
 * The claim of a proof. It is as trustworthy as its head, which is known from elsewhere or logged by a checkpoint
 * that others signed.
 */
export interface Proven {
  readonly run: string
  readonly at: number
  readonly field: string
  readonly value?: Canonical.Json
  readonly head: { readonly tick: number; readonly link: string }
  readonly checkpoint?: TreeCheckpoint.TreeCheckpoint
}

/** Error for text that is no proof, or that proves something other than its claim. */
export class StateProofBroken extends Schema.TaggedError<StateProofBroken>("@backstitch/runtime/StateProofBroken")(
  "StateProofBroken",
  { reason: Schema.String }
) {
  override get message(): string {
    return `The proof does not hold: ${this.reason}. Ask whoever made it for another one`
  }
}

/** Error for a tick inside a commit: a state digest is committed only at the last tick of each commit. */
export class StateUnwritten extends Schema.TaggedError<StateUnwritten>("@backstitch/version-control/StateUnwritten")(
  "StateUnwritten",
  { run: Schema.String, tick: Schema.Natural, next: Schema.optionalKey(Schema.Natural) }
) {
  override get message(): string {
    const other = this.next === undefined ? "Prove an earlier one" : `Prove tick ${this.next}`
    return `Tick ${this.tick} of run ${this.run} is not the last of its commit, and its state has no digest. ${other}`
  }
}

/**
 * Makes a proof of a field at a tick from a run and its state there; `to` is the tick of the head, `log` its log
 * entry.
 */
export const make = (options: {
  readonly exported: Export.Export
  readonly at: number
  readonly state: State.State
  readonly path: FieldPath.FieldPath
  readonly to: number
  readonly log?: StateProof["log"]
}): Result.Result<StateProof, StateUnwritten> => {
  const { at, exported, log, path, state, to } = options
  const { lineage, run, transitions } = exported
  if (stateOf(transitions[at - 1]?.stamp ?? "{}") === undefined) {
    const next = transitions.find(({ stamp, tick }) => tick > at && stateOf(stamp) !== undefined)?.tick
    return Result.fail(new StateUnwritten({ run: run.id, tick: at, ...defined({ next }) }))
  }
  const texts: Record<string, string> = {}
  const keep = (text: string) => {
    texts[Digest.ofBytes(text)] = text
  }
  keep(transitions[at - 1]!.stamp)
  for (const tick of Lineage.forks(exported).keys()) if (tick <= to) keep(transitions[tick - 1]!.body)
  const section = state[path.section]
  const field = Object.hasOwn(section, path.field) ? section[path.field] : undefined
  const value = field === undefined ? undefined : FieldPath.valueWithin(opened(field, keep), path.keys)
  const { link, story, tick } = transitions[to - 1]!
  const proof: StateProof = {
    format: "backstitch-state-proof",
    version: 1,
    run,
    ...(isReadonlyArrayNonEmpty(lineage) && { lineage }),
    head: { tick, link, story },
    at,
    field: FieldPath.pointer(path),
    ...(value === undefined ? {} : { value: value as Schema.Json }),
    chain: transitions.slice(0, to).map((each) => digestsOf(each)),
    texts,
    sections: {
      kernel: StateDigests.sectionDigest(state.kernel),
      working: StateDigests.sectionDigest(state.working),
      world: StateDigests.sectionDigest(state.world)
    },
    fields: Object.fromEntries(Object.entries(section).map(([name, each]) => [name, StateDigests.fieldDigest(each)])),
    ...defined({ log })
  }
  return Result.succeed(proof)
}

/** Writes a proof. */
export const encode = (self: StateProof): string => `${Canonical.encode(self as Canonical.JsonObject)}\n`

/**
 * Reads a proof and checks it up to its head. The caller has to compare the head with a known one, and to check the
 * signatures of its checkpoint.
 */
export const check = (text: string): Result.Result<Proven, StateProofBroken> => {
  if (!text.endsWith("\n")) return broken("it does not end in a newline, as one that was cut short")
  const canonical = Canonical.decode(text.slice(0, -1))
  if (Result.isFailure(canonical)) return broken(canonical.failure)
  const read = decode(canonical.success)
  if (Result.isFailure(read)) return broken(read.failure.message.replaceAll(/\s*\n\s*/g, " "))
  const proof = read.success
  const path = FieldPath.parse(proof.field)
  if (Result.isFailure(path)) return broken(`${JSON.stringify(proof.field)} is no field`)
  const asked = new Set<string>()
  const get: Node.Get = (digest) => {
    asked.add(digest)
    return Object.hasOwn(proof.texts, digest) ? proof.texts[digest] : undefined
  }
  try {
    follow(proof, get)
    const value = valueOf(proof, path.success, get)
    if (!isSame(value, proof.value as Canonical.Json | undefined)) return broken("the value is another one")
    const loose = Object.keys(proof.texts).find((digest) => !asked.has(digest))
    if (loose !== undefined) return broken(`nothing in it asks for the text of ${loose}`)
    const { at, field, head, run } = proof
    const checkpoint = proof.log === undefined ? undefined : logged(proof, proof.log)
    return Result.succeed({
      run: run.id,
      at,
      field,
      ...defined({ value }),
      head: { tick: head.tick, link: head.link },
      ...defined({ checkpoint })
    })
  } catch (error) {
    if (error instanceof Refused) return broken(error.reason)
    if (Branded.isError(error, Node.NodeMissing)) return broken(`the text of ${error.digest} is not in it`)
    if (Branded.isError(error, Node.NodeCorrupt)) return broken(`the text of ${error.digest} is another one`)
    throw error
  }
}

const decode = Schema.decodeUnknownResult(StateProof, { onExcessProperty: "error" })

const broken = (reason: string) => Result.fail(new StateProofBroken({ reason }))

class Refused {
  readonly reason: string

  constructor(reason: string) {
    this.reason = reason
  }
}

const refuse = (reason: string): never => {
  throw new Refused(reason)
}

const digestsOf = ({ body, envelope, stamp }: Transition.Sealed) =>
  [Digest.ofBytes(body), Digest.ofBytes(stamp), Digest.ofBytes(envelope)] as const

const stateOf = (stamp: string): string | undefined => {
  const { state } = objectIn(stamp)
  return typeof state === "string" ? state : undefined
}

/** The object in a text, which nothing has checked before. */
const objectIn = (text: string): Canonical.JsonObject => {
  const value = valueIn(text)
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Canonical.JsonObject)
    : refuse("a text of it is no object")
}

const valueIn = (text: string): Canonical.Json =>
  Result.getOrElse(Canonical.decode(text), (problem) => refuse(`a text of it is not canonical: ${problem}`))

/** A field whose texts are collected as they are read. */
const opened = (field: State.StateField, keep: (text: string) => void): State.StateField => {
  if (!Table.is(field) && !List.is(field)) {
    keep(Canonical.encode(field))
    return field
  }
  const nodes = new Map<string, string>()
  const put = (digest: Digest.Digest, text: string) => void nodes.set(digest, text)
  const get: Node.Get = (digest) => {
    const text = nodes.get(digest)
    if (text !== undefined) keep(text)
    return text
  }
  return Table.is(field)
    ? Table.load(
        Table.collect(field, () => false, put),
        get
      )
    : List.load(
        List.collect(field, () => false, put),
        get
      )
}

const isSame = (left: Canonical.Json | undefined, right: Canonical.Json | undefined): boolean =>
  left === undefined || right === undefined ? left === right : Canonical.encode(left) === Canonical.encode(right)

/** Follows the chain from the genesis of the run to the head, through the forks that it names. */
const follow = (proof: StateProof, get: Node.Get): void => {
  const { at, chain, head, lineage = [], run } = proof
  if (chain.length !== head.tick || at < 1 || at > head.tick) throw new Refused("its ticks are not those of its head")
  const misnamed = Lineage.flaw({ run, lineage, head })
  if (misnamed !== undefined) throw new Refused(misnamed)
  const forks = Lineage.forks({ lineage, run })
  let { link, story } = Export.genesis({ lineage, run })
  for (const [index, [body, stamp, envelope]] of chain.entries()) {
    const before = link
    link = Digest.ofText("backstitch.link.1", `${link}\n${body}\n${stamp}\n${envelope}`)
    story = Digest.ofText("backstitch.story.1", `${story}\n${body}`)
    const fork = forks.get(index + 1)
    if (fork === undefined) continue
    const text = Node.read(get, body)
    objectIn(text)
    const begun = JsonText.read(text) as Transition.Body
    if (!Lineage.beginsFork(begun, fork) || Payload.of(begun, "run.fork")?.link !== before) {
      throw new Refused(`tick ${index + 1} is not the fork that its lineage names`)
    }
  }
  if (link !== head.link || story !== head.story) throw new Refused("the chain leads to another head")
  if (Math.max(0, ...forks.keys()) > head.tick) throw new Refused("the run is not where it was forked yet")
}

/** Reads the value in the state that the chain commits at the tick. */
const valueOf = (proof: StateProof, path: FieldPath.FieldPath, get: Node.Get): Canonical.Json | undefined => {
  const { at, chain, fields, sections } = proof
  const committed = stateOf(Node.read(get, chain[at - 1]![1]))
  const { kernel, working, world } = sections
  const state = Digest.ofText("backstitch.state.1", `kernel ${kernel}\nworking ${working}\nworld ${world}\n`)
  if (state !== committed) return refuse(`the state is not that of tick ${at}`)
  const lines = Object.keys(fields)
    .sort()
    .map((name) => `${JSON.stringify(name)} ${fields[name]}\n`)
  if (Digest.ofText("backstitch.section.1", lines.join("")) !== sections[path.section]) {
    return refuse(`the fields are not those of ${path.section}`)
  }
  const digest = Object.hasOwn(fields, path.field) ? fields[path.field]! : undefined
  if (digest === undefined) return undefined
  const [kind, root] = digest.split(":") as [string, Digest.Digest]
  if (kind === "table") return FieldPath.valueWithin(Table.load(root, get), path.keys)
  if (kind === "list") return FieldPath.valueWithin(List.load(root, get), path.keys)
  return FieldPath.valueWithin(valueIn(Node.read(get, root)), path.keys)
}

/** The checkpoint whose log contains the head. */
const logged = ({ head, run }: StateProof, log: NonNullable<StateProof["log"]>): TreeCheckpoint.TreeCheckpoint => {
  const checkpoint = TreeCheckpoint.parse(log.checkpoint)
  if (Result.isFailure(checkpoint)) return refuse(checkpoint.failure.message)
  const leaf = TreeHead.leaf(TreeHead.entry({ head: head.link, run: run.id, tenant: run.tenant, tick: head.tick }))
  const { index, proof } = log
  const isIn = TreeHead.verifyInclusion({ leaf, index, head: checkpoint.success.head, proof })
  return isIn ? checkpoint.success : refuse("the log of the checkpoint does not name its head")
}
