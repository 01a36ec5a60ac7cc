/**
 * The definition of a pack as it is written, in TypeScript as in YAML.
 *
 * Both forms have one shape. In TypeScript, conditions and reductions may also be functions, which are stored as
 * their source. Each type is that of the grammar with which the definition is read.
 */
import type { WrittenOf } from "../Grammar.ts"
import type { readback } from "../tool/readbackGrammar.ts"
import type { tool } from "../tool/toolGrammar.ts"
import type { pack } from "./packGrammar.ts"
import type { test } from "./packTestGrammar.ts"
import type { approval, guard, violation } from "./rulesGrammar.ts"
import type { skeleton } from "./skeletonGrammar.ts"
import type { transition } from "./transitionGrammar.ts"

export type {
  FunctionScope,
  WrittenCondition as Condition,
  WrittenExpression as Expression,
  WrittenTemplate as Template
} from "../language.ts"
export type { Type, Types } from "../tool/fieldGrammar.ts"
export type { WrittenOperation as Operation, WrittenReduction as Reduction } from "../tool/operationGrammar.ts"

/** The readback of a tool: the questions to the system of record, and the answers that confirm a call. */
export interface Readback extends WrittenOf<typeof readback> {}

/** A condition over the system of record: bare, or with a name for the failure that it detects. */
export type Expectation = Exclude<Readback["expect"], ReadonlyArray<unknown>>

/** The contract of a tool. */
export interface ToolDefinition extends WrittenOf<typeof tool> {}

/** A governed transition. */
export interface Transition extends WrittenOf<typeof transition> {}

/** A guard, as a pack states it. */
export interface Guard extends WrittenOf<typeof guard> {}

/** A condition over committed state. */
export interface ViolationDefinition extends WrittenOf<typeof violation> {}

/** The approval of a tool's calls. */
export interface Approval extends WrittenOf<typeof approval> {}

/** A subtask skeleton. */
export interface Subtask extends WrittenOf<typeof skeleton> {}

/** A proposal, with the answer of the contract. */
export interface TestDefinition extends WrittenOf<typeof test> {}

/**
 * A whole pack.
 *
 * **Details**
 *
 * `namespace` with `id` may be written for `pack`, and `contracts` for
 * `transitions`.
 */
export interface Definition extends WrittenOf<typeof pack> {}
