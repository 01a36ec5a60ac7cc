/**
 * The definition of a pack as it is written, in TypeScript as in YAML.
 *
 * The two have one shape. TypeScript may put functions where conditions and
 * reductions stand; they travel as their source.
 */

import type * as Field from "@backstitch/expressions/Field"
import type { Json } from "@backstitch/trace/Canonical"
import type * as Approval from "../rules/Approval.ts"
import type * as MessagePolicy from "../rules/MessagePolicy.ts"
import type * as Skeleton from "../rules/Skeleton.ts"
import type * as Topology from "../rules/Topology.ts"
import type { Discrepancy } from "../tool/Expectation.ts"
import type * as ReadbackContract from "../tool/Readback.ts"
import type * as ToolContract from "../tool/ToolContract.ts"
import type * as VerificationCheck from "../tool/VerificationCheck.ts"
import type { WebhookForm } from "../tool/WebhookForm.ts"

/** What is in scope of a function in a pack. */
export interface Scope {
  // biome-ignore lint/suspicious/noExplicitAny: the pack declares what is in scope, and its author knows
  readonly [name: string]: any
}

/** An expression, or a value that is not text. */
export type Expression = string | number | boolean | null

/** A condition: an expression, a function, or the source of one. */
export type Condition = string | boolean | ((scope: Scope) => boolean) | { readonly function: string }

/**
 * A condition over the system of record: bare, or with the name of the failure that it notices and the discrepancy
 * that it is taken for.
 */
export type Expectation =
  | Condition
  | {
      readonly id: string
      readonly holds: Condition
      readonly otherwise?: Discrepancy
      readonly checks?: VerificationCheck.VerificationCheck | ReadonlyArray<VerificationCheck.VerificationCheck>
    }

/** A value with expressions in its leaves. */
export type Template = Expression | ReadonlyArray<Template> | { readonly [name: string]: Template }

/** A type, in words or in full. */
export type Type =
  | "string"
  | "int"
  | "float"
  | "bool"
  | "json"
  | (Common &
      (
        | { readonly type: "string" | "int" | "float" | "decimal" | "bool" | "json"; readonly precision?: number }
        | { readonly type: "enum"; readonly values: ReadonlyArray<string> }
        | { readonly type: "object"; readonly fields: Types }
        | { readonly type: "list"; readonly item: Type }
        | { readonly type: "table"; readonly key?: string; readonly row: Type | Types }
        | { readonly decimal: number }
        | { readonly float: number }
        | { readonly enum: ReadonlyArray<string> }
        | { readonly object: Types }
        | { readonly list: Type }
        | { readonly table: { readonly key?: string; readonly row: Type | Types } }
      ))

type Common = Field.Common

/** Types by name. */
export interface Types {
  readonly [name: string]: Type
}

/** One change of state. */
export type Operation = { readonly when?: Expression } & (
  | {
      readonly set: {
        readonly field: string
        readonly value: Template
        readonly table?: string
        readonly key?: Expression
      }
    }
  | {
      readonly add: {
        readonly field: string
        readonly value: Template
        readonly table?: string
        readonly key?: Expression
      }
    }
  | { readonly put: { readonly table: string; readonly key: Expression; readonly row: Template } }
  | { readonly remove: { readonly table: string; readonly key: Expression } }
  | { readonly append: { readonly list: string; readonly item: Template } }
)

/** Changes in order, or a function that answers the fields that change. */
export type Reduction =
  | ReadonlyArray<Operation>
  | ((scope: Scope) => { readonly world?: object; readonly working?: object } | undefined)
  | { readonly function: string }

/** When to ask again: every so often, or in waits that grow. */
export type Poll = string | { readonly first: string; readonly factor?: number; readonly max?: string }

/** How the system of record is asked what really happened. */
export interface Readback {
  readonly source: string
  readonly from?: ReadbackContract.Origin
  readonly expect: Expectation | ReadonlyArray<Expectation>
  readonly within?: string
  readonly poll?: Poll
  readonly consistency?: ReadbackContract.Consistency
  readonly scope?: Readonly<
    Partial<
      Record<ReadbackContract.ScopeName, Expression | { readonly shows: Expression; readonly expects: Expression }>
    >
  >
  readonly before?: ReadbackContract.Readback["before"]
  readonly version?: { readonly planned: Expression; readonly actual: Expression }
  readonly parts?: Readonly<Record<string, Condition>>
  readonly token?: Expression
  readonly strong?: ReadbackContract.Strong
  readonly sources?: ReadonlyArray<{
    readonly source: string
    readonly from?: ReadbackContract.Origin
    readonly expect?: Expectation | ReadonlyArray<Expectation>
  }>
}

/** The contract of a tool. */
export interface Tool {
  readonly description?: string
  readonly class: ToolContract.SideEffect
  readonly idempotency?: ToolContract.Idempotency
  readonly input?: Types
  readonly output?: Type | Types
  readonly target?: Expression
  readonly tenant?: Expression
  readonly identity?:
    | "none"
    | {
        readonly scope: ToolContract.Identity["scope"]
        readonly fields: ReadonlyArray<string | Readonly<Record<string, string>>> | Readonly<Record<string, string>>
      }
  readonly transaction?: ToolContract.Transaction
  readonly times?: { readonly sendWithin?: string; readonly settleAfter?: string; readonly keyRetention?: string }
  readonly cost?:
    | Expression
    | {
        readonly amount?: Expression
        readonly actual?: Expression
        readonly currency?: string
        readonly tokens?: Expression
      }
  readonly status?:
    | ToolContract.ToolContract["status"]
    | { readonly by: "key"; readonly poll?: Poll; readonly within?: string }
  readonly readback?: Readback
  readonly webhook?: {
    readonly form?: WebhookForm
    readonly secret: string | ReadonlyArray<string>
    /** A duration, or `none` where neither the form nor the body has a time. */
    readonly tolerance?: string
    readonly header?: string
    readonly key: Expression
    readonly done: Expression
    readonly failed?: Expression
    readonly output?: Expression
    readonly sent?: Expression
    readonly id?: Expression
  }
  readonly undo?:
    | ToolContract.Reversibility
    | {
        readonly class: ToolContract.Reversibility
        readonly by?: string
        readonly with?: Readonly<Record<string, Template>>
        readonly narrows?: Expression
      }
  readonly keeps?: { readonly amount: Expression; readonly currency: string; readonly decimal?: number }
  readonly waives?: VerificationCheck.Waivers
  readonly accepts_word?: ToolContract.AcceptsWord
  readonly reads?: ReadonlyArray<string>
  readonly writes?: ReadonlyArray<string>
  readonly assumes?: ReadonlyArray<string>
  readonly model?:
    | ((scope: Scope) => { readonly output?: unknown; readonly world?: object })
    | { readonly function: string }
  readonly on_reconciled?: Reduction
  readonly on_recorded?: Reduction
}

/** A limit on money. `decimal` counts digits after the point, 2 unless said otherwise. */
export interface Money {
  readonly currency?: string
  readonly decimal?: number
  readonly max: number | string
}

/** A condition over committed state. */
export interface Violation {
  readonly id: string
  readonly name?: string
  readonly when?: Condition
  readonly condition?: Condition
  readonly base_predicate?: Condition
  readonly at?: "before" | "after"
  readonly state?: "before" | "after"
  readonly scope?: string | ReadonlyArray<string>
  readonly monotone?: boolean | "lift"
  readonly monotone_lift?: boolean
  readonly bisect_predicate?: "monotone_lift"
  readonly each?: string
  readonly then?: "halt_mutations"
  readonly pure?: boolean
  readonly description?: string
}

/** A subtask skeleton. */
export interface Subtask {
  readonly entity?: Expression
  readonly states?: ReadonlyArray<string>
  readonly entry?: ReadonlyArray<string>
  readonly commit?: Condition
  readonly exit?: Condition
  readonly inputs?: ReadonlyArray<string>
  readonly outputs?: ReadonlyArray<string>
  readonly tools?: ReadonlyArray<string>
  readonly effects?: Skeleton.Effects
  readonly pivot?: ReadonlyArray<string>
  readonly aborts?: ReadonlyArray<string>
  readonly forward?: ReadonlyArray<string | Forward>
  readonly undo_behind_pivot?: ReadonlyArray<string>
  readonly after?: ReadonlyArray<string>
  readonly description?: string
}

/** A step that is completed behind the pivot of a subtask. */
export interface Forward {
  readonly tool: string
  readonly with?: Readonly<Record<string, Template>>
  readonly within?: string
  readonly poll?: Poll
}

/** What a governed transition needs to find in the state. */
export interface Transition {
  /** What a transition of the type carries. */
  readonly data?: Types
  readonly required_state?: Types | ReadonlyArray<string>
  readonly hash_seeds?: ReadonlyArray<string>
  readonly advisory?: ReadonlyArray<string>
  /** Seeds that have to have the same value where the intent is carried to another run; without it, all of them. */
  readonly match?: ReadonlyArray<string>
  readonly description?: string
}

/** A proposal and what the contract answers. */
export interface Test {
  readonly name?: string
  readonly given?: Readonly<Record<string, Json>>
  readonly clauses?: Readonly<Record<string, Json>>
  readonly propose: Readonly<Record<string, Readonly<Record<string, Json>> | null>>
  readonly expect: {
    readonly refused?: string
    readonly allowed?: boolean
    readonly approval?: boolean
    readonly violated?: string | ReadonlyArray<string>
    readonly holds?: ReadonlyArray<string>
  }
}

/**
 * A whole pack.
 *
 * **Details**
 *
 * `namespace` with `id` may be written for `pack`, and `contracts` for
 * `transitions`.
 */
export interface Definition {
  readonly pack?: string
  readonly namespace?: string
  readonly id?: string
  readonly version?: string | number
  readonly description?: string
  readonly state?: { readonly world?: Types; readonly working?: Types }
  readonly specification?: Readonly<
    Record<
      string,
      | Condition
      | { readonly holds: Condition; readonly value?: Type; readonly default?: Json; readonly description?: string }
    >
  >
  readonly transitions?: Readonly<Record<string, Transition>>
  readonly contracts?: Readonly<Record<string, Transition>>
  readonly tools?: Readonly<Record<string, Tool>>
  readonly guards?: ReadonlyArray<{
    readonly id: string
    readonly name?: string
    readonly on: string | ReadonlyArray<string>
    readonly refuse_if: Condition
    readonly description?: string
  }>
  readonly violations?: ReadonlyArray<Violation>
  readonly approvals?: Readonly<
    Record<
      string,
      { readonly when?: Condition; readonly by?: string | Approval.Approval["by"]; readonly expires?: string }
    >
  >
  readonly budgets?: {
    readonly steps?: number
    readonly tokens?: number
    readonly elapsed?: string
    readonly money?: Money | ReadonlyArray<Money>
    readonly refusals?: number
    readonly anomalies?: number
    readonly retries?: number
    readonly recoveries?: number
    readonly calls?: Readonly<Record<string, number>>
    readonly shared?: boolean
    readonly verification?: { readonly run?: number; readonly action?: number }
  }
  readonly messages?: Partial<MessagePolicy.MessagePolicy>
  readonly topology?:
    | Topology.Kind
    | {
        readonly kind: Topology.Kind
        readonly agents?: Readonly<Record<string, string>>
        readonly order?: ReadonlyArray<string>
        readonly steps?: number
        readonly rounds?: number
        readonly queue?: number
        readonly silence?: string
        readonly plan?: string
      }
  readonly progress?: {
    readonly subgoals?: ReadonlyArray<string>
    readonly weights?: { readonly completion?: number; readonly constraints?: number; readonly survival?: number }
    readonly recent?: number
  }
  readonly skeletons?: Readonly<Record<string, Subtask>>
  readonly reducers?: { readonly on: Readonly<Record<string, Reduction>> }
  readonly tests?: ReadonlyArray<Test>
}
