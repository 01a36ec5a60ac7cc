/** A travel plan as far as it is filled in. */
import type { Json } from "@backstitch/trace/Canonical"
import type { Table } from "@backstitch/trace/Table"

/** The slots of a plan, and the number of times that each place was chosen. */
export type World = {
  readonly slots: Table<{ readonly value: string }>
  readonly restaurants: Table<{ readonly count: number }>
  readonly attractions: Table<{ readonly count: number }>
}

/** A call as a model sees it. */
export type Call<Args> = { readonly world: World; readonly args: Args }

/** The prediction of a model. */
export type Answer = { readonly output: Json; readonly world?: Partial<World> }
