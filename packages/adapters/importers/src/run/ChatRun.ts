/**
 * Turns a recorded conversation into a trace, and tells how far the pack explains it.
 *
 * Each message becomes one commit. A tool's effect enters the state at its recorded result, at trust level 1: the
 * answer was recorded, and not verified. Before that, the pack's model of the tool predicts the answer. An equal
 * answer, byte for byte, is evidence that the model and the folded state are right.
 *
 * Times are those of the recording, and 0 if it has none, so that a repeated import gives the same bytes (L2).
 */

import * as Commit from "@backstitch/kernel/Commit"
import * as Trust from "@backstitch/ledger/Trust"
import type * as Fold from "@backstitch/reducer/Fold"
import * as State from "@backstitch/reducer/State"
import type { Json } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import { defined } from "@backstitch/trace/Defined"
import * as HashChain from "@backstitch/trace/HashChain"
import * as JsonText from "@backstitch/trace/JsonText"
import type { Run } from "@backstitch/trace/Run"
import type { Append } from "@backstitch/trace/TraceStore"
import type { Body, Draft, Sealed } from "@backstitch/trace/Transition"
import type * as Chat from "../chat/Chat.ts"
import * as PythonText from "../text/PythonText.ts"

/** A tool in an import: its class, whether it changes the world, and a model of its answers. */
export interface ImportedTool {
  readonly class: string
  readonly mutating: boolean
  readonly predict?: ((world: State.Section, args: Json) => unknown) | undefined
}

/** The settings for folding a run. */
export interface Setting {
  readonly fold: Fold.Fold
  readonly tool: (name: string) => ImportedTool
  /** The transitions that begin the run. */
  readonly started: ReadonlyArray<Draft>
  /** Fields of `world` whose change counts as a change of state. */
  readonly tables: ReadonlyArray<string>
  /** The form in which answers are compared: their bytes, or their JSON values. */
  readonly outputs: "bytes" | "values"
}

/** The counts of an import over one run. */
export interface Counts {
  readonly outputsReproduced: number
  readonly mutatingCalls: number
  readonly stateChanges: number
  readonly errors: number
  readonly failedCalls: number
}

/** A run that is ready to be appended. */
export interface ChatRun {
  readonly sealed: ReadonlyArray<Sealed>
  readonly claims: Append["claims"]
  readonly state: State.State
  readonly counts: Counts
}

/** Folds a conversation into a run. Throws `Fold.SourceMissing` and `NotCanonical`. */
export const make = (setting: Setting, run: Run, chat: Chat.Chat): ChatRun => {
  const counts = { outputsReproduced: 0, mutatingCalls: 0, stateChanges: 0, errors: 0, failedCalls: 0 }
  const sealed: Array<Sealed> = []
  const claims: Array<Append["claims"][number]> = []
  let position: Commit.Position = { head: HashChain.genesis(run), state: State.empty, asOf: 0 }

  const commit = (drafts: ReadonlyArray<Draft>): void => {
    const made = Commit.assemble(setting.fold, { run, at: position, drafts })
    for (const transition of made.sealed) sealed.push(transition)
    claims.push(...made.claims)
    position = made.position
  }

  // Recorded times may decrease; those of a trace never do.
  let clock = 0
  commit(setting.started)
  for (const steps of chat.steps) {
    const before = position.state
    for (const step of steps) {
      if (step._tag === "Called" && setting.tool(step.call.tool).mutating) counts.mutatingCalls++
      if (step._tag === "Answered" && isReproduced(setting, before, step)) counts.outputsReproduced++
    }
    if (steps.length > 0) {
      clock = Math.max(clock, ...steps.map(({ at = 0 }) => at))
      commit(steps.map((step) => draftOf(setting, step, { asOf: clock, source: `message ${step.message}` })))
    }
    for (const step of steps) {
      if (step._tag !== "Answered") continue
      if (failed(step)) counts.failedCalls++
      if (!setting.tool(step.call.tool).mutating) continue
      if (failed(step)) counts.errors++
      if (setting.tables.some((name) => differ(before.world[name], position.state.world[name]))) counts.stateChanges++
    }
  }
  return { sealed, claims, state: position.state, counts }
}

/** Tells whether a recorded answer reports an error, by its first word. */
export const isError = (output: string | null): boolean => output?.startsWith("Error:") === true

/** A call failed if the recording or the text of its answer says so, in all formats. */
const failed = ({ error, output }: Chat.Answered): boolean => error === true || isError(output)

/** Drafts the transition of a step: the time of the run, and the place of the step in a recording. */
export const draftOf = (
  setting: Pick<Setting, "tool">,
  step: Chat.ChatStep,
  { asOf, ...place }: { readonly asOf: number; readonly source: string; readonly trace?: string | undefined }
): Draft => {
  const { source, trace } = place
  return {
    body: bodyOf(setting, step),
    stamp: { asOf },
    envelope: { source, ...defined({ trace }), ts: step.at ?? 0 }
  }
}

const bodyOf = (setting: Pick<Setting, "tool">, step: Chat.ChatStep): Body => {
  switch (step._tag) {
    case "Received":
      return { author: "user", data: { content: step.content, role: step.role }, type: "message.received" }
    case "Sent": {
      const { agent, content, to } = step
      const data = { content, ...defined({ to }) }
      return { ...defined({ agent }), author: "agent", data, type: "message.sent" }
    }
    case "Called": {
      const { agent, call } = step
      const { args: params, tool } = call
      const action = { class: setting.tool(tool).class, id: step.action, params, tool }
      return { action, ...defined({ agent }), author: "agent", type: "action.request" }
    }
    case "Answered":
      return {
        action: { id: step.action, tool: step.call.tool },
        author: "kernel",
        ...(step.shown === undefined ? {} : { data: { shown: step.shown } }),
        result: {
          basis: "recorded",
          output: step.output,
          status: failed(step) ? "error" : "ok",
          trust: Trust.of("word")
        },
        type: "action.result"
      }
  }
}

const isReproduced = (setting: Setting, { world }: State.State, { call, output }: Chat.Answered): boolean => {
  const { predict } = setting.tool(call.tool)
  if (predict === undefined) return false
  try {
    const predicted = predict(world, call.args)
    if (predicted === undefined || predicted === null || typeof predicted === "string") return predicted === output
    return setting.outputs === "values"
      ? output !== null && sameValue(predicted as Json, output)
      : output !== null && PythonText.dumps(inOrderOf(predicted as Json, read(output))) === output
  } catch {
    // A model needs arguments that the tool understands. If it fails, nothing is reproduced.
    return false
  }
}

/** Parses a text as JSON; `undefined` if it is none, which equals no prediction. */
const read = (text: string): Json | undefined => {
  try {
    return JsonText.read(text) as Json
  } catch {
    return undefined
  }
}

/**
 * A state keeps no order of keys, so a prediction is written in the order of the recording, followed by its own keys.
 */
const inOrderOf = (value: Json, recorded: Json | undefined): Json => {
  if (Array.isArray(value)) {
    const items: ReadonlyArray<Json> = Array.isArray(recorded) ? recorded : []
    return value.map((item: Json, index) => inOrderOf(item, items[index]))
  }
  if (!Canonical.isObject(value)) return value
  const like = Canonical.objectOf(recorded)
  const names = [...Object.keys(like).filter((name) => Object.hasOwn(value, name)), ...Object.keys(value)]
  return Object.fromEntries([...new Set(names)].map((name) => [name, inOrderOf(value[name] ?? null, like[name])]))
}

/** Equal as JSON values, whatever the order of keys and the spelling of numbers. */
const sameValue = (predicted: Json, output: string): boolean =>
  Canonical.encode(predicted) === Canonical.encode(JsonText.read(output) as Json)

const differ = (left: State.StateField | undefined, right: State.StateField | undefined): boolean =>
  left !== right && (left === undefined || right === undefined || State.fieldDigest(left) !== State.fieldDigest(right))
