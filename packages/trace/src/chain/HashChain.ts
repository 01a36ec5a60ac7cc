/**
 * Chained digests that make any change to a committed transition visible.
 *
 * There are two chains. The **link** covers all bytes of a transition and its predecessor. The **story** covers only
 * bodies, so the stories of two independent runs are equal as long as they did the same. The tick at which they part
 * can be found by comparing digests, without reading either run.
 *
 * Laws: changing, dropping, reordering or inserting any transition before a head that is kept elsewhere is detected,
 * and the first bad tick is named (L3).
 *
 * @source Dendrer, section 3.1
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Canonical from "../bytes/Canonical.ts"
import * as Digest from "../bytes/Digest.ts"
import type { Draft, Sealed } from "../transition/Transition.ts"
import type { Run } from "./Run.ts"

/** The head of a trace: its last tick, with both digests. */
export interface Head {
  readonly tick: number
  readonly link: Digest.Digest
  readonly story: Digest.Digest
}

/** The kinds of faults in a chain. */
export const ChainFault = Schema.Literals([
  "tick",
  "link",
  "story",
  "bytes",
  "fork",
  "lineage",
  "run",
  "time",
  "erased",
  "cut",
  "end"
])

/** The kinds of faults in a chain. */
export type ChainFault = typeof ChainFault.Type

/** Error for stored bytes that do not match their link, or that contradict the run. */
export class ChainBroken extends Schema.TaggedError<ChainBroken>("@backstitch/trace/ChainBroken")("ChainBroken", {
  tick: Schema.Natural,
  found: ChainFault,
  /** More detail about the fault, if there is any. */
  problem: Schema.optionalKey(Schema.String),
  run: Schema.optionalKey(Schema.String),
  /** The file that the trace was read from, to be brought into a store. */
  file: Schema.optionalKey(Schema.String)
}) {
  override get message(): string {
    const what = {
      tick: "is missing, doubled or out of order",
      link: "does not hash to its link: its bytes, or those of the link, were changed",
      story: "does not hash to its story digest",
      bytes: "cannot be read as a transition",
      fork: "is not the fork that the name and the ancestors of the run call for",
      lineage: "begins a run whose ancestors are not in their one form",
      run: "claims of the run what is not so",
      time: "goes back in time",
      erased: "erases what the trace has not committed to",
      cut: "is cut off inside a commit: it has no digest of the state",
      end: "is not the transition that the given head names"
    }[this.found]
    const trace = this.run === undefined ? "The trace" : `The trace of run ${this.run}`
    const place = this.file === undefined ? "" : ` in ${this.file}`
    const more = this.problem === undefined ? "" : `: ${this.problem}`
    const remedy = this.file === undefined ? "" : ", and nothing of it was imported. Copy or export the file again"
    const untrusted = `Nothing from tick ${this.tick} on can be trusted${remedy}`
    return `${trace}${place} is broken: tick ${this.tick} ${what}${more}. ${untrusted}`
  }
}

/** The head of a run without transitions. It depends on the run's name. */
export const genesis = (run: Run): Head => ({
  tick: 0,
  link: Digest.ofText("backstitch.genesis.1", Canonical.encode({ id: run.id, tenant: run.tenant })),
  story: Digest.zero
})

/** Writes a transition in canonical form at the tick after `head`, and extends both chains. */
export const seal = (head: Head, draft: Draft): Sealed => {
  const body = Canonical.encode(draft.body)
  const stamp = Canonical.encode(draft.stamp)
  const envelope = Canonical.encode(draft.envelope)
  const bodyDigest = Digest.ofBytes(body)
  return {
    tick: head.tick + 1,
    link: linkOf(head.link, bodyDigest, Digest.ofBytes(stamp), envelopeDigest(envelope)),
    story: storyOf(head.story, bodyDigest),
    body,
    stamp,
    envelope
  }
}

/** The head after a sealed transition. */
export const headOf = (sealed: Sealed): Head => ({ tick: sealed.tick, link: sealed.link, story: sealed.story })

/** Checks that a stored transition follows a head, from its bytes alone. */
export const follow = (head: Head, sealed: Sealed): Result.Result<Head, ChainBroken> => {
  const tick = head.tick + 1
  if (sealed.tick !== tick) return Result.fail(new ChainBroken({ tick, found: "tick" }))
  const bodyDigest = Digest.ofBytes(sealed.body)
  const link = linkOf(head.link, bodyDigest, Digest.ofBytes(sealed.stamp), envelopeDigest(sealed.envelope))
  if (link !== sealed.link) return Result.fail(new ChainBroken({ tick, found: "link" }))
  const story = storyOf(head.story, bodyDigest)
  if (story !== sealed.story) return Result.fail(new ChainBroken({ tick, found: "story" }))
  return Result.succeed({ tick, link, story })
}

/**
 * Checks stored transitions in order from a head, and answers the head after them, or the first bad tick (L3).
 *
 * **Example** (Finding the first bad tick)
 *
 * ```ts import.meta.vitest
 * import { HashChain, Run } from "@backstitch/trace"
 * import { Result } from "effect"
 *
 * const genesis = HashChain.genesis(Run.make("trip-42"))
 * const sealed = HashChain.seal(genesis, {
 *   body: { author: "agent", type: "observation.add" },
 *   stamp: { asOf: 0 },
 *   envelope: { ts: 0 }
 * })
 *
 * Result.isSuccess(HashChain.verify(genesis, [sealed])) // => true
 * Result.isSuccess(HashChain.verify(genesis, [{ ...sealed, envelope: '{"ts":1}' }])) // => false
 * ```
 */
export const verify = (from: Head, transitions: Iterable<Sealed>): Result.Result<Head, ChainBroken> => {
  let head = from
  for (const sealed of transitions) {
    const next = follow(head, sealed)
    if (Result.isFailure(next)) return next
    head = next.success
  }
  return Result.succeed(head)
}

/** Remembers the last envelope: transitions that are decided together mostly have the same one. */
const envelopeDigest = (text: string): Digest.Digest => {
  if (text !== latest.text) latest = { text, digest: Digest.ofBytes(text) }
  return latest.digest
}

let latest = { text: "", digest: Digest.ofBytes("") }

const linkOf = (previous: string, body: string, stamp: string, envelope: string): Digest.Digest =>
  Digest.ofText("backstitch.link.1", `${previous}\n${body}\n${stamp}\n${envelope}`)

const storyOf = (previous: string, body: string): Digest.Digest =>
  Digest.ofText("backstitch.story.1", `${previous}\n${body}`)
