/** The files of a working copy, as far as a coding agent's own tools have written them or shown them whole. */
import type { Json } from "@backstitch/trace/Canonical"
import type { Table } from "@backstitch/trace/Table"

/** Files by path. */
export type World = { readonly files: Table<{ readonly content: string }> }

/**
 * A call as a model sees it: once it is answered, with the text that the agent was given and what the recording keeps
 * beside it.
 */
export type Call<Args, Shown = never> = {
  readonly world: World
  readonly args: Args
  readonly observed?: unknown
  readonly shown?: Shown
}

/** The prediction of a model. */
export type Answer = { readonly output: Json; readonly world?: Partial<World> }
