/** A travel plan as far as it is filled in. */
import type { Json } from "@backstitch/trace/Canonical"
import type { Table } from "@backstitch/trace/Table"

/** What stands in each slot, and how often each place was chosen. */
export type World = {
  readonly slots: Table<{ readonly value: string }>
  readonly restaurants: Table<{ readonly count: number }>
  readonly attractions: Table<{ readonly count: number }>
}

/** A call as a model sees it. */
export type Call<Args> = { readonly world: World; readonly args: Args }

/** What a model predicts. */
export type Answer = { readonly output: Json; readonly world?: Partial<World> }
