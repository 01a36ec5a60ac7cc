/**
 * The contract of a tool as it is written for this package: that of a pack, with defaults.
 *
 * @see docs/guides/contract-for-a-tool.md
 */
import type { Json } from "../values/Json.ts"
import type { StandardSchema } from "./StandardSchema.ts"

/** A schema of arguments: of a library with the Standard Schema interface, a JSON Schema, or the fields of a pack. */
export type InputSchema = StandardSchema | Readonly<Record<string, unknown>>

/** The possible harm of a call, from none to critical. It decides how deep the call is verified. */
export type SideEffect =
  | "read_only"
  | "ephemeral_write"
  | "low_risk_internal"
  | "medium_risk_write"
  | "high_risk_external"
  | "critical_mutation"

/** A condition over `args`, `observed` (the answer) and `actual` (the record): `actual.amount == args.amount`. */
export type Condition = string | boolean

/** The approval of calls. */
export interface Approval {
  /** The calls that need an approval, such as `args.amount > 5000`; all if absent. */
  readonly when?: Condition
  /** The role that decides, or several of which one is enough. */
  readonly by: string | ReadonlyArray<string>
  /** The time for which an approval counts, such as `1h`. */
  readonly expires?: string
}

/**
 * The contract of a tool.
 *
 * **Details**
 *
 * Every field is optional, and any other field of a tool in a pack is passed on as it is. What a field means, and what
 * it means to leave it out, is in the guide to contracts.
 */
export interface ToolContract {
  /**
   * The name of the tool, on which the key of each act depends. A store in memory may do without: it is that of the
   * function then.
   */
  readonly tool?: string
  readonly description?: string
  /**
   * The possible harm. By default `high_risk_external` if the tool can be asked what happened, and otherwise
   * `medium_risk_write`, whose success is reported as verified by nobody.
   */
  readonly class?: SideEffect
  readonly input?: InputSchema
  /** The fields of `input`, as a pack writes them, if it is a schema that does not say them. */
  readonly fields?: Readonly<Record<string, unknown>>
  /**
   * The arguments that make two calls one act: names, names with their rules of comparison, or all arguments by
   * default. `none` says that no two calls are ever one.
   */
  readonly identity?:
    | ReadonlyArray<string>
    | Readonly<Record<string, string>>
    | "none"
    | {
        readonly scope: "run" | "goal" | "tenant"
        readonly fields:
          | string
          | ReadonlyArray<string | Readonly<Record<string, string>>>
          | Readonly<Record<string, string>>
      }
  /**
   * `idempotent_write` if the provider does nothing twice under one key. By default a repetition is a second effect: a
   * provider that can be asked need not recognise a key.
   */
  readonly idempotency?: "read" | "idempotent_write" | "effectful"
  /** The thing that no other call may change until this one is settled, such as `'order/' + args.order`. */
  readonly target?: string
  /**
   * Promises about the provider, such as `{ sendWithin: "10s", settleAfter: "2m", keyRetention: "24h" }`, the default
   * where the tool has a `status`. "Not found" proves nothing before them.
   */
  readonly times?: { readonly sendWithin?: string; readonly settleAfter?: string; readonly keyRetention?: string }
  /** The record that confirms a call: conditions over it, and how long it may take to show the call. */
  readonly readback?: {
    readonly source?: string
    readonly expect?: Condition | ReadonlyArray<Condition | Readonly<Record<string, unknown>>>
    readonly within?: string
    readonly [field: string]: unknown
  }
  readonly undo?: "I" | "R" | "K" | "X" | Readonly<Record<string, unknown>>
  /** The person who accepts the tool's own word where much is at stake and nothing can be checked, and the reason. */
  readonly accepts_word?: { readonly by: string; readonly why: string }
  /** The approval that calls need. */
  readonly approval?: Approval
  readonly [field: string]: unknown
}

/** A task pack as it is written; the guide to contracts names its sections. */
export interface PackDefinition {
  readonly pack: string
  readonly version: string | number
  readonly tools?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly [section: string]: Json | undefined | object
}
