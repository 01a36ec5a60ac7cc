/**
 * The intents of one branch, in tick order, to be replayed onto the state of another.
 *
 * Nothing is rewritten: the result is a fork of the other branch, in which the intents are proposed again, each
 * judged like an import. The treatment of a tool call depends on what its contract says about repetition:
 *
 * | contract | treatment |
 * | --- | --- |
 * | `read` | `execute`: called again, and the new answer counts |
 * | `idempotent_write` | `execute`: through the commit path, under a key by identity |
 * | `effectful` | `record`: never called again; its outcome in its own run is taken over, and marked so |
 *
 * The progress of a rebase is read from the trace of its result, so it survives a crash, and another process may
 * continue it or give it up.
 *
 * Laws: an act that was never done is not replayed; each intent is replayed at most once, in the order of its branch.
 *
 * @source Dendrer, sections 9.6 and 11.1
 */
import * as TaskPack from "@backstitch/contracts/TaskPack"
import type { VerificationCheck } from "@backstitch/contracts/VerificationCheck"
import type * as Fold from "@backstitch/reducer/Fold"
import type { State } from "@backstitch/reducer/State"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import { defined } from "@backstitch/trace/Defined"
import type { AnyFinding } from "@backstitch/trace/FindingForm"
import type { Transition } from "@backstitch/trace/Transition"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Step from "../compare/Step.ts"
import * as Payload from "../payload/Payload.ts"
import * as Intent from "./Intent.ts"

/** The origin of a rebase, in `rebase` of its result's `run.fork`: ticks `from` to `to` of a run. */
export type RebaseOrigin = typeof Payload.Begun.Type

/**
 * The treatment of an intent: a note is proposed again; a tool is called again, or its outcome taken from the record.
 */
export type IntentTreatment = "propose" | "execute" | "record"

/** The outcome of an action in its own run. `actual` is the record that was read back. */
export interface RecordedOutcome extends JsonObject {
  readonly status: "ok" | "error"
  readonly output: Json
  readonly actual?: Json | undefined
  readonly trust: 0 | 1 | 2 | 3 | 4
  /** Checks of its class that its contract omitted. */
  readonly unchecked?: ReadonlyArray<VerificationCheck> | undefined
}

/** One intent to replay, with the state in which it was decided and its later transitions. */
export interface Item {
  readonly tick: number
  readonly link: string
  readonly intent: Intent.Intent
  readonly treatment: IntentTreatment
  readonly before: State
  readonly pack: TaskPack.TaskPack | undefined
  readonly transitions: ReadonlyArray<Transition>
  readonly recorded: RecordedOutcome | undefined
  /** `true` if the call had failed. */
  readonly failed: boolean
}

/** A transition of the branch that is no intent to repeat, such as a user's message. */
export interface Left {
  readonly tick: number
  readonly type: string
  readonly author: string
  readonly why: "not an agent's" | "of its parent" | "undone"
}

/** The intents to replay, and the other transitions. */
export interface RebasePlan {
  readonly items: ReadonlyArray<Item>
  readonly left: ReadonlyArray<Left>
}

/** Error for a branch with acts whose outcome is unknown. */
export class RebaseUnsettled extends Schema.TaggedError<RebaseUnsettled>("@backstitch/version-control/RebaseUnsettled")(
  "RebaseUnsettled",
  { run: Schema.String, actions: Schema.Array(Schema.String) }
) {
  override get message(): string {
    return (
      `Run ${this.run} has begun ${this.actions.join(", ")} and does not know how that came out, so it cannot be ` +
      `replayed. Resume it first, to settle what is open`
    )
  }
}

/**
 * Plans the replay of the steps of a branch, in order.
 *
 * **Details**
 *
 * `packAt` answers the pack in force at a tick of the branch. Requests that were dropped before their start did
 * nothing, and are not planned. Undone acts are not repeated, and neither are their reversals. Acts that a fork left to
 * its parent are not the branch's. Any other mutation without an outcome is refused.
 */
export const plan = (
  run: string,
  steps: Iterable<Step.Step & { readonly link: string }>,
  packAt: (state: State, tick: number) => TaskPack.TaskPack | undefined
): Result.Result<RebasePlan, RebaseUnsettled> => {
  const items: Array<Item> = []
  const left: Array<Left> = []
  const unsettled: Array<string> = []
  const all = [...steps]
  const following = Map.groupBy(
    all.map(({ transition }) => transition),
    ({ body }) => body.action?.id
  )
  const undone = undoneIn(following)
  const forkedAt = all.findLast(({ transition }) => transition.body.type === "run.fork")?.transition.tick ?? 0
  for (const { before, link, transition } of all) {
    const { body, tick } = transition
    const read = Intent.of(run, transition)
    if (Result.isFailure(read)) {
      if (body.author !== "kernel") left.push({ tick, type: body.type, author: body.author, why: "not an agent's" })
      continue
    }
    if (undone.has(body.action?.id ?? "")) {
      left.push({ tick, type: body.type, author: body.author, why: "undone" })
      continue
    }
    const own = body.action === undefined ? undefined : following.get(body.action.id)
    const transitions = own ?? [transition]
    if (transitions.some((each) => each.body.type === "intent.dropped")) continue
    const pack = packAt(before, tick)
    const intent = read.success
    const treatment = treatmentOf(intent, pack)
    const recorded = outcomeOf(transitions)
    const isStarted = transitions.some((each) => each.body.type === "action.started")
    if (recorded === undefined && isStarted && tick < forkedAt) {
      left.push({ tick, type: body.type, author: body.author, why: "of its parent" })
      continue
    }
    if (recorded === undefined && isStarted) unsettled.push(`${intent.tool} (${body.action?.id})`)
    // A request that was never started has no effect to take over.
    if (recorded === undefined && treatment === "record") continue
    const failed = transitions.some((each) => each.body.result?.status === "error")
    items.push({ tick, link, intent, treatment, before, pack, transitions, recorded, failed })
  }
  return unsettled.length === 0
    ? Result.succeed({ items, left })
    : Result.fail(new RebaseUnsettled({ run, actions: unsettled }))
}

/** Actions that another one has undone: neither of the two is replayed. */
const undoneIn = (following: ReadonlyMap<unknown, ReadonlyArray<Transition>>): ReadonlySet<string> =>
  new Set(
    [...following.values()].flatMap((transitions) => {
      const undoes = transitions.find(({ body }) => body.action?.undoes !== undefined)?.body.action?.undoes
      return undoes !== undefined && outcomeOf(transitions)?.status === "ok" ? [undoes] : []
    })
  )

/** Chooses the treatment of an intent. Repeating a tool without a pack could do anything, so it is not repeated. */
export const treatmentOf = ({ tool }: Intent.Intent, pack: TaskPack.TaskPack | undefined): IntentTreatment => {
  if (tool === undefined) return "propose"
  return TaskPack.tool(pack, tool).idempotency === "effectful" ? "record" : "execute"
}

/** Reads the outcome of an action from its own transitions; `undefined` if it is unknown. */
export const outcomeOf = (transitions: ReadonlyArray<Transition>): RecordedOutcome | undefined => {
  const lastOf = (type: string) =>
    transitions.findLast(({ body }) => body.type === type && body.result !== undefined)?.body
  const last = (type: string) => lastOf(type)?.result
  const [answered, verified, reconciled] = [last("action.result"), last("action.verified"), last("action.reconciled")]
  const believed = lastOf("action.reconciled")
  const { unchecked } = (believed && Payload.of(believed, "action.reconciled")) ?? {}
  const settled = reconciled ?? (answered?.basis === "recorded" ? answered : undefined)
  if (settled === undefined || (settled.status !== "ok" && settled.status !== "error")) return undefined
  const actual = verified?.status === "ok" ? verified.output : undefined
  return {
    status: settled.status,
    output: answered?.output ?? null,
    ...defined({ actual }),
    trust: settled.trust ?? 1,
    ...defined({ unchecked })
  }
}

/**
 * The state after replaying an item, if every call came out as in its own run.
 *
 * **Details**
 *
 * A rehearsal shows this state: nothing is called and nothing is committed.
 */
export const predict = (fold: Fold.Fold, from: State, tick: number, item: Item): State => {
  let state = from
  for (const [index, transition] of item.transitions.entries()) {
    state = fold.evolve(state, { ...transition, tick: tick + index })
  }
  return state
}

/** The progress of a rebase. `conflict` is the intent at which it stopped, until it continues. */
export interface RebaseProgress {
  readonly begun: RebaseOrigin
  /** Ticks of the branch that were replayed, with the tick of the result that records it. */
  readonly replayed: ReadonlyMap<number, number>
  readonly skipped: ReadonlySet<number>
  readonly aborted: boolean
  readonly conflict: { readonly tick: number; readonly why: AnyFinding | undefined } | undefined
}

/** Reads the progress of a rebase from its result's transitions; `undefined` for a run that is no rebase. */
export const progress = (transitions: Iterable<Transition>): RebaseProgress | undefined => {
  let begun: RebaseOrigin | undefined
  const replayed = new Map<number, number>()
  const skipped = new Set<number>()
  let aborted = false
  let conflict: RebaseProgress["conflict"]
  for (const transition of transitions) {
    const body = Payload.read(transition.body)
    if (body.type === "run.fork") begun = body.data.rebase ?? begun
    if (begun === undefined) continue
    if (body.type === "run.cherrypick" && body.data.rebase !== undefined) {
      replayed.set(body.data.source.tick, transition.tick)
      conflict = undefined
    } else if (body.type === "run.rebase") {
      const { outcome, source, why } = body.data
      const { tick = 0 } = source
      if (outcome === "skipped") skipped.add(tick)
      aborted ||= outcome === "aborted"
      conflict = outcome === "stopped" ? { tick, why } : undefined
    }
  }
  return begun === undefined ? undefined : { begun, replayed, skipped, aborted, conflict }
}

/** Writes the `data` of `run.rebase`, when a rebase stops at an intent, leaves it out, or is given up. */
export const halt = (
  outcome: "stopped" | "skipped" | "aborted",
  begun: RebaseOrigin,
  at: {
    readonly tick?: number | undefined
    readonly why?: AnyFinding | undefined
    readonly fields?: ReadonlyArray<string> | undefined
  }
): (typeof Payload.payloads)["run.rebase"]["Type"] => ({
  ...(at.fields === undefined || at.fields.length === 0 ? {} : { fields: at.fields }),
  outcome,
  source: { run: begun.run, ...defined({ tick: at.tick }) },
  ...defined({ why: at.why })
})
