/**
 * The files of a working copy, as far as a coding agent's own tools have written them.
 *
 * @since 0.1.0
 */
import type { Json } from "@backstitch/trace/Canonical"
import type { Table } from "@backstitch/trace/Table"

/**
 * Files by path.
 *
 * @category models
 * @since 0.1.0
 */
export type World = { readonly files: Table<{ readonly content: string }> }

/**
 * A call as a model sees it.
 *
 * @category models
 * @since 0.1.0
 */
export type Call<Args> = { readonly world: World; readonly args: Args }

/**
 * What a model predicts.
 *
 * @category models
 * @since 0.1.0
 */
export type Answer = { readonly output: Json; readonly world?: Partial<World> }
