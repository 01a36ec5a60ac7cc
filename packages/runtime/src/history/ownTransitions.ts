/**
 * Keeps the last transitions that a writer has committed, so that its own process does not read them back from the
 * store. What is committed never changes, so they cannot be out of date.
 *
 * They are kept as the bytes that were committed, and opened for each reader: nobody shares a value with another one.
 */
import type { Run } from "@backstitch/trace/Run"
import * as Transition from "@backstitch/trace/Transition"
import * as Effect from "effect/Effect"
import * as Limits from "../Limits.ts"
import type { HistoryError, Stored } from "./History.ts"

/** The last transitions of a writer, up to its head. */
export interface OwnTransitions {
  /** Adds what was committed next. */
  readonly add: (committed: ReadonlyArray<Transition.Sealed>) => void
  /** Forgets all of them, because another process has committed in between. */
  readonly forget: () => void
  /** Opens those of a range; `undefined` if some of it was never committed here, or is not kept any more. */
  readonly between: (from: number, to: number) => ReadonlyArray<Transition.Transition> | undefined
}

const sizeOf = ({ body, envelope, stamp }: Transition.Sealed): number => body.length + envelope.length + stamp.length

/** Keeps none at first. */
export const make = (charactersMax: number = Limits.pacing.ownTransitionsCharactersMax): OwnTransitions => {
  let all: Array<Transition.Sealed> = []
  // The first of those that are kept. The others before it are removed together, so that each costs as much as itself.
  let first = 0
  let characters = 0
  return {
    add: (committed) => {
      for (const each of committed) {
        all.push(each)
        characters += sizeOf(each)
      }
      while (characters > charactersMax) characters -= sizeOf(all[first++]!)
      if (first > all.length / 2) {
        all = all.slice(first)
        first = 0
      }
    },
    forget: () => {
      all = []
      first = 0
      characters = 0
    },
    between: (from, to) => {
      const oldest = all[first]
      if (oldest === undefined || from < oldest.tick) return undefined
      const start = first - oldest.tick
      return all.slice(start + from, start + to + 1).map(Transition.open)
    }
  }
}

/** Reads the durable transitions of a range, which ends at the head at the latest. */
export type Durable = (from: number, to?: number) => Effect.Effect<ReadonlyArray<Transition.Transition>, HistoryError>

/** A run that is written here, and the tick of its head. */
interface Writing {
  readonly run: Run
  readonly stored: Stored
  readonly head: () => number
}

/** Keeps those of a writer, and reads what it does not have from the store. */
export const ofWriter = ({ head, run, stored }: Writing): OwnTransitions & { readonly durable: Durable } => {
  const own = make()
  return {
    ...own,
    durable: (from, to = Number.POSITIVE_INFINITY) =>
      Effect.suspend(() => {
        const last = Math.min(to, head())
        if (from > last) return Effect.succeed([])
        const kept = own.between(from, last)
        return kept === undefined ? stored.transitions(run, { from, to: last }) : Effect.succeed(kept)
      })
  }
}
