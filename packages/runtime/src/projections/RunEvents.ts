/** Reads a part of a run as events: the ticks, types and fields that were requested, each of which has to exist. */

import type * as HashChain from "@backstitch/trace/HashChain"
import * as Ontology from "@backstitch/trace/Ontology"
import type { Run } from "@backstitch/trace/Run"
import type * as TraceStore from "@backstitch/trace/TraceStore"
import type { Step } from "@backstitch/version-control/Step"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as FlatEvent from "../history/FlatEvent.ts"
import * as History from "../history/History.ts"
import * as Steps from "../history/Steps.ts"
import * as QuestionNames from "../versioning/QuestionNames.ts"

/** Error for a range whose first tick comes after its last. */
export class RangeReversed extends Schema.TaggedError<RangeReversed>("@backstitch/runtime/RangeReversed")(
  "RangeReversed",
  { from: Schema.Number, to: Schema.Number }
) {
  override get message(): string {
    return `No tick is from ${this.from} to ${this.to}: give the first one first`
  }
}

/** The requested part. An absent field sets no limit. */
export interface EventSelection {
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly types?: ReadonlyArray<string> | undefined
  readonly fields?: ReadonlyArray<string> | undefined
}

/** A part of a run that exists. */
export interface Selected {
  readonly run: Run
  readonly head: HashChain.Head
  readonly parent: TraceStore.Parent | undefined
  readonly from: number
  readonly to: number
  readonly types: ReadonlySet<string>
  readonly fields: ReadonlyArray<FlatEvent.EventField>
}

/** Finds a part of a run; fails if a tick, a type or a field does not exist. */
export const select = Effect.fn("RunEvents.select")(function* (run: Run, wanted: EventSelection = {}) {
  const history = yield* History.History
  const fields = wanted.fields ?? []
  const noField = fields.find((name) => !FlatEvent.isField(name))
  if (noField !== undefined) return yield* unknown("field", noField, FlatEvent.fields)
  const { head, parent } = yield* history.info(run)
  const { from = 1, to = head.tick } = wanted
  for (const tick of [from, to]) {
    if (tick < 1 || tick > head.tick) return yield* new History.TickOutOfRange({ run: run.id, tick, last: head.tick })
  }
  if (from > to) return yield* new RangeReversed({ from, to })
  const types = new Set(wanted.types)
  const noType = [...types].find((type) => !Ontology.isType(type) && !Ontology.isForeign(type))
  if (noType !== undefined) return yield* unknown("type of transition", noType, Object.keys(Ontology.types))
  const selected: Selected = {
    run,
    head,
    parent,
    from,
    to,
    types,
    fields: fields.length === 0 ? FlatEvent.fields : fields.filter(FlatEvent.isField)
  }
  return selected
})

/** Folds the run, and gives each step of the part to `visit`, with the head after it. */
export const walk = ({ from, run, to, types }: Selected, visit: (step: Step, head: HashChain.Head) => void) =>
  Steps.walk(run, { from, to }, (step, head) => {
    if (types.size === 0 || types.has(step.transition.body.type)) visit(step, head)
  })

/** Writes a step of the part as an event with the requested fields. */
export const event = ({ fields, run }: Selected, step: Step, head: HashChain.Head) =>
  FlatEvent.of(run, step, head, fields)

const unknown = (what: QuestionNames.AskedUnknown["what"], asked: string, known: ReadonlyArray<string>) =>
  new QuestionNames.AskedUnknown({ what, asked, known })
