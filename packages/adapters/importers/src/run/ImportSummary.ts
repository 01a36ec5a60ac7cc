/** The summary of an import, for each run and in total. The form for programs leaves out facts about the store. */
import * as Repeats from "@backstitch/ledger/Repeats"
import * as Schema from "effect/Schema"
import * as Chat from "../chat/Chat.ts"

const counts = {
  messages: Schema.Natural,
  toolCalls: Schema.Natural,
  outputsReproduced: Schema.Natural,
  mutatingCalls: Schema.Natural,
  stateChanges: Schema.Natural,
  errors: Schema.Natural,
  failedCalls: Schema.Natural
}

const Lost = Schema.Struct(
  Object.fromEntries(Chat.losses.map((kind) => [kind, Schema.optionalKey(Schema.Natural)])) as {
    readonly [Kind in keyof Chat.LossCounts]-?: Schema.optionalKey<typeof Schema.Natural>
  }
)

/**
 * One imported run.
 *
 * **Details**
 *
 * `outputsReproduced` counts the answers that the pack's models predict to the byte. `stateChanges` counts mutating
 * calls that changed a table of the data folder, and `errors` those that answered an error. `failedCalls` counts all
 * calls that failed according to the recording or the answer's text. `repeats` names the acts that were repeated
 * although nobody knew what the first call came to. `lost` counts data of the recording that are not in the run, by
 * kind. `finalStateHash` is the hash that tau-bench records of a database, `null` without a data folder. `present`
 * means that the store had the run already.
 */
export const Run = Schema.Struct({
  id: Schema.String,
  ...counts,
  lost: Lost,
  repeats: Schema.Array(Repeats.Repeat),
  repeatedToolCallIds: Schema.Boolean,
  finalStateHash: Schema.NullOr(Schema.String),
  length: Schema.Natural,
  present: Schema.Boolean
})

/** One imported run. */
export type Run = typeof Run.Type

/** Sums over runs. `repeatedToolCallIds` and `present` count runs; `repeats` counts calls. */
export const Totals = Schema.Struct({
  runs: Schema.Natural,
  ...counts,
  lost: Lost,
  repeats: Schema.Natural,
  repeatedToolCallIds: Schema.Natural,
  length: Schema.Natural,
  present: Schema.Natural
})

/** Sums over runs. */
export type Totals = typeof Totals.Type

/** An impure function of the pack, with its place. An import names it and continues. */
export const Impure = Schema.Struct({ id: Schema.String, message: Schema.String })

/** An impure function of the pack, with its place. An import names it and continues. */
export type Impure = typeof Impure.Type

/** The whole summary. */
export const ImportSummary = Schema.Struct({ impure: Schema.Array(Impure), runs: Schema.Array(Run), totals: Totals })

/** The whole summary. */
export type ImportSummary = typeof ImportSummary.Type

/** Sums runs up. */
export const make = (runs: ReadonlyArray<Run>, impure: ReadonlyArray<Impure> = []): ImportSummary => {
  const sum = (of: (run: Run) => number | boolean) => runs.reduce((total, run) => total + Number(of(run)), 0)
  return {
    impure,
    runs,
    totals: {
      runs: runs.length,
      messages: sum((run) => run.messages),
      toolCalls: sum((run) => run.toolCalls),
      repeatedToolCallIds: sum((run) => run.repeatedToolCallIds),
      outputsReproduced: sum((run) => run.outputsReproduced),
      mutatingCalls: sum((run) => run.mutatingCalls),
      stateChanges: sum((run) => run.stateChanges),
      errors: sum((run) => run.errors),
      failedCalls: sum((run) => run.failedCalls),
      repeats: sum((run) => run.repeats.length),
      lost: Object.fromEntries(
        Chat.losses.flatMap((kind) => {
          const count = sum((run) => run.lost[kind] ?? 0)
          return count === 0 ? [] : [[kind, count] as const]
        })
      ),
      length: sum((run) => run.length),
      present: sum((run) => run.present)
    }
  }
}

/** The summary for programs: it has facts about the recording, and no facts about the store. */
export interface Document {
  readonly impure: ReadonlyArray<Impure>
  readonly runs: ReadonlyArray<Omit<Run, "length" | "present">>
  readonly totals: Omit<Totals, "length" | "present" | "runs">
}

/** The document of a summary. */
export const document = ({ impure, runs, totals }: ImportSummary): Document => {
  const { length: _, present: __, runs: ___, ...sums } = totals
  return { impure, runs: runs.map(({ length: _, present: __, ...run }) => run), totals: sums }
}
