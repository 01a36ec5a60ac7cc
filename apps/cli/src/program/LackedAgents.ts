/**
 * Tells which runs of a server wait for an agent that it does not have. Nothing of that is in their traces, so that a
 * command which fetches a run asks for it. A server that does not answer this keeps no command from its own answer.
 */
import type { Run } from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import type { Globals } from "../input/Globals.ts"
import * as ServerCall from "../server/ServerCall.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as TextTable from "../terminal/TextTable.ts"

/** A run that waits, its agent, and the reason with what to do. */
export interface Lacking {
  readonly run: string
  readonly agent: string
  readonly why: string
}

/** Lists the runs that wait, or the given one if it does. On a store no run does. */
export const of = ({ server }: Globals, about?: Run): Effect.Effect<ReadonlyArray<Lacking>> =>
  server === undefined
    ? Effect.succeed([])
    : ServerCall.ask(server, (api) => api.hosting.agents()).pipe(
        Effect.map(({ lacking }) => lacking.filter(({ run }) => about === undefined || run === about.id)),
        Effect.orElseSucceed(() => [])
      )

/** Prints a line for each. */
export const print = (lacking: ReadonlyArray<Lacking>): void => {
  for (const { run, why } of lacking) TextTable.sentence(Terminal.wary("WAITS:"), `run=${run} | ${why}`)
}

/** The field of a document that lists them, if there are any. */
export const field = (lacking: ReadonlyArray<Lacking>): { readonly lacking?: ReadonlyArray<Lacking> } =>
  lacking.length === 0 ? {} : { lacking }
