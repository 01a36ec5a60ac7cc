/** The files of a working copy, as far as a coding agent's own tools have written or shown them. */
import type { Json } from "@backstitch/trace/Canonical"
import type { Table } from "@backstitch/trace/Table"

/** Files by path: those whose whole text is known, and texts that are in others. `opened` is a path. */
export type World = {
  readonly files: Table<{ readonly content: string }>
  readonly parts: Table<{ readonly texts: ReadonlyArray<string> }>
  readonly opened: string
}

/**
 * The input of a model: an answered call, with the text that the agent was given and the additional data of the
 * recording.
 */
export type Call<Args, Shown = never> = {
  readonly world: World
  readonly args: Args
  readonly observed?: unknown
  readonly shown?: Shown
}

/** The prediction of a model. */
export type Answer = { readonly output: Json; readonly world?: Partial<World> }

/** The changes of the state by a recorded call. */
export type Changes = { readonly world?: Partial<World> }
