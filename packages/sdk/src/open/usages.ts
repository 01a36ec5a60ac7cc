/** Usages of the verbs of a store and of a run. What a contract or the kernel judges is `any` here. */
import * as ToolForm from "../contract/toolForm.ts"
import {
  abortSignal,
  any,
  callable,
  either,
  listOf,
  object,
  optional,
  recordOf,
  text,
  type Usage,
  whole
} from "../failures/givenArguments.ts"
import type { Backstitch } from "../run/openStore.ts"
import type { Run } from "../run/Run.ts"
import * as SettingsForm from "../session/settingsForm.ts"

const options = optional(object())
const named = "an object with a namespace, a version and names"
const types = listOf(
  object({ names: listOf(text, ""), namespace: text, version: whole }),
  `a list, each part of it ${named}`
)
const pack = optional(either(text, object(), "the name of a file, or a pack as an object"))
const tools = recordOf(either(callable, ToolForm.tool, "a function, or an object with the function execute"))

/** The opening of a store. */
export const open: Usage = {
  call: "Backstitch.open({ pack, tools, store })",
  takes: {
    options: optional(
      object({
        ...SettingsForm.fields,
        pack,
        tools: optional(tools),
        types: optional(types)
      })
    )
  }
}

const opening = { clauses: optional(object()), goal: optional(text), text: optional(text) }
const decide = (call: string): Usage => ({ call, takes: { review: text, verdict: object() } })
const resolve: Usage = {
  call: 'run.resolve(ACTION, { as: "failure", by, evidence })',
  takes: { action: text, settlement: object() }
}

/** The verbs of a store. The name of a run is judged as such. */
export const ofStore: Readonly<Partial<Record<keyof Backstitch, Usage>>> = {
  run: { call: "bs.run(RUN, { goal, text })", takes: { id: any, opening: optional(object(opening)) } },
  approve: { call: "bs.approve(RUN, REVIEW, { by, role })", takes: { run: any, review: text, verdict: object() } },
  deny: { call: "bs.deny(RUN, REVIEW, { by, role })", takes: { run: any, review: text, verdict: object() } },
  resolve: {
    call: 'bs.resolve(RUN, ACTION, { as: "failure", by, evidence })',
    takes: { run: any, action: text, settlement: object() }
  },
  held: { call: "bs.held(RUN)", takes: { run: any } }
}

const acts = either(text, listOf(text, ""), "the name of an act, or a list of such names")
const texts = listOf(text, "a list of texts")
const revision = object({ changes: listOf(object(), "a list of changes"), keeps: optional(texts) })
const work = (call: string): Usage => ({ call, takes: { name: text, work: callable } })

/** The events of a run. They are no promise. */
export const events: Usage = {
  call: "run.events({ from, follow })",
  takes: { options: optional(object({ from: optional(whole) })) }
}

/** The other verbs of a run. */
export const ofRun: Readonly<Partial<Record<keyof Run, Usage>>> = {
  tool: {
    call: "run.tool(TOOL, { … }, { callId, signal })",
    takes: { name: text, args: any, options: optional(object({ signal: optional(abortSignal) })) }
  },
  record: { call: "run.record(TYPE, { … })", takes: { type: any, data: any, options } },
  step: work("run.step(NAME, () => …)"),
  decide: work("run.decide(NAME, () => …)"),
  messages: {
    call: "run.messages({ note })",
    takes: { options: optional(object({ nameOf: optional(callable), note: optional(text) })) }
  },
  report: { call: "run.report({ draft })", takes: { asked: options } },
  approve: decide("run.approve(REVIEW, { by, role })"),
  deny: decide("run.deny(REVIEW, { by, role })"),
  resolve,
  undo: { call: 'run.undo(ACTION, { reason: "…" })', takes: { actions: acts, asked: options } },
  inject: { call: "run.inject({ changes: [{ change, clause, value }] })", takes: { revision } },
  plan: { call: "run.plan({ changes: [{ change, clause, value }] })", takes: { revision } },
  bisect: { call: "run.bisect(PREDICATE)", takes: { predicate: optional(text) } },
  diff: { call: "run.diff(RUN)", takes: { other: any } },
  fork: {
    call: "run.fork({ from: TICK })",
    takes: { options: object({ from: whole, as: optional(text), pack, reason: optional(text) }) }
  },
  verify: { call: "run.verify({ head })", takes: { options: optional(object({ head: optional(text) })) } }
}
