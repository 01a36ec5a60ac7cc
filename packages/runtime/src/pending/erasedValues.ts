/**
 * Finds the calls that need a value which was erased: they are neither sent nor asked about, and a person settles them.
 *
 * A trace keeps the commitments to what was erased. A value that is gone without being on record as erased is found by
 * the attempt to open it.
 */
import * as Sensitive from "@backstitch/contracts/Sensitive"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Finding from "@backstitch/kernel/Finding"
import * as Payload from "@backstitch/kernel/Payload"
import * as RecordedRequest from "@backstitch/ledger/RecordedRequest"
import type { Json } from "@backstitch/trace/Canonical"
import type { Transition } from "@backstitch/trace/Transition"

/** A call with the values that it would be given: those of its arguments, and of the answer to it. */
export interface Needing {
  readonly tool: string
  readonly params: Json
  readonly observed?: Json | undefined
}

/** The values that a trace calls erased, as they concern its calls. */
export interface ErasedValues {
  /** The finding about the calls of which values are gone; `undefined` if all are there. */
  readonly lacking: (pack: TaskPack.TaskPack | undefined, calls: ReadonlyArray<Needing>) => Gone | undefined
  /** The call of an action. */
  readonly callOf: (action: string) => ReadonlyArray<Needing>
}

/** The first tool of which values are gone, and how many are. */
export type Gone = Finding.Finding & { readonly code: "values.gone" }

/** Reads which values a trace calls erased. */
export const of = (transitions: ReadonlyArray<Transition>): ErasedValues => {
  const erased = new Set(transitions.flatMap(({ body }) => Payload.of(body, "sealed.erased")?.values ?? []))
  return {
    lacking: (pack, calls) => {
      for (const call of erased.size === 0 ? [] : calls) {
        const { tool } = call
        const needed = Sensitive.neededBy(TaskPack.tool(pack, tool), call)
        const values = needed.filter((commitment) => erased.has(commitment)).length
        if (values > 0) return Finding.make("values.gone", { tool, values })
      }
      return undefined
    },
    callOf: (action) => {
      const own = erased.size === 0 ? undefined : RecordedRequest.of(transitions, action)
      return own === undefined ? [] : [own]
    }
  }
}
