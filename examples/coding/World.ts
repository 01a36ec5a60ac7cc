/** The files of a working copy that a coding agent's own tools have written, or shown as a whole. */
import type { Json } from "@backstitch/trace/Canonical"
import type { Table } from "@backstitch/trace/Table"

/** Files by path. */
export type World = { readonly files: Table<{ readonly content: string }> }

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
