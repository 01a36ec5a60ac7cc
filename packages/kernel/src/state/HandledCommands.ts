/**
 * Commands that this run has carried out, as folded state, so that a command proposed twice is one proposal.
 *
 * The proposer names the command, for example a step of a script, or a request of a client that got no answer. A
 * refused command is not remembered, so it may be proposed again when the reason of the refusal has changed.
 */

import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as Part from "@backstitch/reducer/Part"
import type { State } from "@backstitch/reducer/State"
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as Table from "@backstitch/trace/Table"

/** The tick of a command, and its action, if it became one. */
export interface HandledCommand extends JsonObject {
  readonly tick: number
  readonly action?: string | undefined
}

/** Types that answer a command without carrying it out. */
const answers = new Set(["intent.adopted", "intent.refused", "kernel.anomaly", "policy.decision"])

/** The part of the fold that remembers commands. */
export const part: Part.Part<Table.Table<HandledCommand>> = Part.make<Table.Table<HandledCommand>>("commands", {
  version: 1,
  init: Table.empty,
  on: {
    // An action that the parent has begun and not settled gives no answer to this run.
    "run.fork": (self, _, before) =>
      [...self].reduce(
        (left, [command, { action }]) =>
          action !== undefined && OpenActions.of(before)[action] !== undefined ? left.delete(command) : left,
        self
      ),
    "*": (self, { body, tick }) => {
      const command = body.intent?.command
      if (command === undefined || answers.has(body.type) || self.has(command)) return self
      return self.set(command, { tick, ...(body.action === undefined ? {} : { action: body.action.id }) })
    }
  }
})

/** Finds the tick at which a command was carried out. */
export const find = (state: State, command: string): HandledCommand | undefined => Part.get(part, state).get(command)
